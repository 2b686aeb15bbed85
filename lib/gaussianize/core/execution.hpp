#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#pragma GCC visibility push(default)
namespace gaussianize {

/// How far a long operation has come. What an operation does not know is left empty.
struct Progress {
  std::size_t done = 0;                        ///< steps, layers or rows
  std::size_t total = 0;                       ///< upper bound of `done`; fits can stop before it
  std::string stage = {};                      ///< for people: "epoch 3 of 20", "whitening first, layer 7: ica"
  std::optional<double> loss = {};             ///< mean −log density of training rows so far, nats per row
  std::optional<double> validation_loss = {};  ///< the latest on validation rows, nats per row
  std::optional<double> seconds_left = {};     ///< estimated by the operation itself
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
