#pragma once

#include <cstddef>
#include <functional>
#include <string>

#pragma GCC visibility push(default)
namespace gaussianize {

/// How far a long operation has come. `total` is the most it may take; fits can stop before it.
struct Progress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::string message;  ///< what was just finished, for people
};

/// Never called by two threads at a time; search_gf calls it from threads of its own, everything else from the thread
/// that called the library. Returning false asks the operation to stop.
using ProgressCallback = std::function<bool(const Progress&)>;

/// How an operation on many rows is carried out. Neither field changes a bit of the result.
struct Execution {
  int threads = 0;  ///< 0: one per hardware thread
  ProgressCallback progress = {};
};

}  // namespace gaussianize
#pragma GCC visibility pop
