# gaussianize::armadillo: Armadillo's header and the OpenBLAS that it calls. Read by this build and, installed, by
# gaussianizeConfig.cmake, so that each machine finds its own and no path is exported. Where something is missing
# there is no target, and gaussianize_armadillo_missing says what to do.

find_path(ARMADILLO_INCLUDE_DIR armadillo)
find_library(OPENBLAS_LIBRARY openblas)
mark_as_advanced(ARMADILLO_INCLUDE_DIR OPENBLAS_LIBRARY)

if(NOT ARMADILLO_INCLUDE_DIR)
  set(gaussianize_armadillo_missing
    "gaussianize needs Armadillo's headers (Debian: libarmadillo-dev); set ARMADILLO_INCLUDE_DIR to their folder.")
elseif(NOT OPENBLAS_LIBRARY)
  set(gaussianize_armadillo_missing
    "gaussianize needs OpenBLAS (Debian: libopenblas-dev); set OPENBLAS_LIBRARY to the library's file.")
elseif(NOT TARGET gaussianize::armadillo)
  add_library(gaussianize::armadillo INTERFACE IMPORTED GLOBAL)
  # The header calls OpenBLAS itself: no wrapper library, no OpenMP, no words on standard error.
  set_target_properties(gaussianize::armadillo PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${ARMADILLO_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "ARMA_DONT_USE_WRAPPER;ARMA_DONT_USE_OPENMP;ARMA_WARN_LEVEL=0"
    INTERFACE_LINK_LIBRARIES "${OPENBLAS_LIBRARY}")
endif()
