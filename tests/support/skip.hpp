#pragma once

#include <cstdio>

namespace gaussianize::testing {

/// For a case that cannot run here: `return skip("gnuplot is not installed");`. CTest knows the line and reports the
/// case as skipped, neither passed nor failed.
inline void skip(const char* reason) {
  std::printf("[skipped] %s\n", reason);
}

}  // namespace gaussianize::testing
