#pragma once

#include <algorithm>
#include <chrono>
#include <functional>

/// Timing for benchmarks.
namespace gaussianize::testing {

/// How long one run takes.
inline double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The best of many short timings of `body`, in nanoseconds per unit of work: short, so that on a busy machine some of
/// them run undisturbed.
inline double nanoseconds(double units, const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int repeat = 0; repeat < 100; ++repeat) {
    int calls = 0;
    const auto start = Clock::now();
    double elapsed = 0.0;
    do {
      body();
      ++calls;
      elapsed = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    } while (elapsed < 5e5);
    best = std::min(best, elapsed / (calls * units));
  }
  return best;
}

}  // namespace gaussianize::testing
