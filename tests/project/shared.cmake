# Read by CMake at the library's project() when test_consumer.py builds it as a shared library: instead of being compiled
# again, the objects come out of ARCHIVE, the static library of the build that is tested.
function(gaussianize_take_objects)
  file(WRITE ${CMAKE_BINARY_DIR}/none.cpp "")
  set_property(TARGET gaussianize PROPERTY SOURCES ${CMAKE_BINARY_DIR}/none.cpp)
  target_link_options(gaussianize_shared PRIVATE -Wl,--whole-archive ${ARCHIVE} -Wl,--no-whole-archive)
endfunction()
cmake_language(DEFER CALL gaussianize_take_objects)
