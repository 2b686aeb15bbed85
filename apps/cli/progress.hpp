#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "gaussianize/core/execution.hpp"

namespace gaussianize {

/// How long something took.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Shows how far an operation of more than half a second has come, on standard error: on a terminal a bar with percent,
/// rate, time left and the latest validation NLL; elsewhere a line for every tenth of the way, and one at least every
/// ten seconds; nothing if quiet. The bar goes away with the object. Its callback asks the operation to stop once the
/// program was interrupted, quiet or not.
class ProgressBar {
 public:
  ProgressBar(std::string label, bool quiet);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// May be called as long as the bar lives.
  ProgressCallback callback();

 private:
  bool report(const Progress& progress);
  void draw(const Progress& progress);
  void write_line(const Progress& progress);

  std::string label_;
  bool quiet_, terminal_;
  Stopwatch watch_;
  double last_shown_ = 0.0;
  std::size_t first_done_ = 0, last_part_ = 0;
  bool started_ = false, drawn_ = false;
};

/// 83 seconds as "1:23", 3725 as "1:02:05".
std::string clock_text(double seconds);

/// What a line reports beside the share done: "; epoch 3 of 20, training NLL 1.2, validation NLL 1.3, 40 s left"; what
/// is not known is left out.
std::string progress_text(const Progress& progress);

}  // namespace gaussianize
