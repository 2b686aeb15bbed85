#pragma once

#include <iostream>
#include <string_view>

namespace gaussianize::testing {

/// Prints the line by which CTest reports a test case as skipped: "[skipped] <reason>". Return from the case
/// afterwards:
///
///   if (!find_gnuplot()) return skipped("gnuplot is not installed");
///
/// Call it before any check, so that a case either runs or is skipped.
inline void skipped(std::string_view reason) {
  std::cout << "[skipped] " << reason << std::endl;
}

}  // namespace gaussianize::testing
