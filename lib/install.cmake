# The installed tree: library, public headers, CMake package and pkg-config file. It may be moved as a whole.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gaussianize)

install(TARGETS ${gaussianize_public} EXPORT gaussianizeTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(module IN LISTS gaussianize_modules)
  install(DIRECTORY gaussianize/${module} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gaussianize
    FILES_MATCHING PATTERN "*.hpp" PATTERN detail EXCLUDE)
endforeach()
install(FILES gaussianize/gaussianize.hpp ${CMAKE_CURRENT_BINARY_DIR}/include/gaussianize/version.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gaussianize)

# A static library has its users link what its modules link privately.
get_target_property(linked gaussianize LINK_LIBRARIES)
set(needs_zlib FALSE)
if(NOT BUILD_SHARED_LIBS AND "ZLIB::ZLIB" IN_LIST linked)
  set(needs_zlib TRUE)
endif()
set(needs_hdf5 FALSE)
if(NOT BUILD_SHARED_LIBS AND "gaussianize::hdf5" IN_LIST linked)
  set(needs_hdf5 TRUE)
endif()

install(EXPORT gaussianizeTargets NAMESPACE gaussianize:: DESTINATION ${package_dir})
configure_package_config_file(gaussianizeConfig.cmake.in gaussianizeConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
# While the major version is 0, a minor release may break its users.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/gaussianizeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  armadillo.cmake
  hdf5.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/gaussianizeConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/gaussianizeConfigVersion.cmake
  DESTINATION ${package_dir})

# In gaussianize.pc, what a compiler finds by itself is not spelled out.
if(NOT ARMADILLO_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
  set(pc_armadillo " -I${ARMADILLO_INCLUDE_DIR}")
endif()
get_filename_component(openblas_dir "${OPENBLAS_LIBRARY}" DIRECTORY)
if(NOT openblas_dir IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
  set(pc_openblas "-L${openblas_dir} ")
endif()
if(needs_hdf5)
  set(pc_hdf5 " ${HDF5_C_LIBRARY}")
endif()
# Needed whether or not the user says --static: there is no shared library that could bring it along.
if(needs_zlib)
  set(pc_requires zlib)
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(kind LIB INCLUDE)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}DIR}")
    set(pc_${kind} "${CMAKE_INSTALL_${kind}DIR}")
  else()
    set(pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}DIR}")
  endif()
endforeach()
configure_file(gaussianize.pc.in gaussianize.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/gaussianize.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
