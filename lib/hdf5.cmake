# gaussianize::hdf5: the C library of HDF5, wherever this machine has it; optional, for one raw data set. Read by this
# build and, if the library needs it, by gaussianizeConfig.cmake. Where it is missing there is no target.

find_path(HDF5_C_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_C_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
mark_as_advanced(HDF5_C_INCLUDE_DIR HDF5_C_LIBRARY)

if(HDF5_C_INCLUDE_DIR AND HDF5_C_LIBRARY AND NOT TARGET gaussianize::hdf5)
  add_library(gaussianize::hdf5 INTERFACE IMPORTED GLOBAL)
  set_target_properties(gaussianize::hdf5 PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${HDF5_C_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${HDF5_C_LIBRARY}")
endif()
