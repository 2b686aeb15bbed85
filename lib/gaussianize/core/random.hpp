#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gaussianize {

/// The number that decides everything random.
struct Seed {
  std::uint64_t value = 0;
};

/// The use of a stream. Streams of different purposes never share numbers. Values are part of the meaning of
/// a seed: never renumber, only append.
enum class Purpose : std::uint64_t {
  test = 0,
  split = 1,
  subsample = 2,
  rotation = 3,
  sample = 4,
  data = 5,
  null_distribution = 6,
  slices = 7,
  anchors = 8,
  epoch = 9,
  dequantise = 16,
  jitter = 20,
  shuffle = 21,
  permutation = 22,
  measure = 23,
  feature = 24,
  partition = 25,
};

/// A stream of random numbers keyed by (seed, purpose, block): Philox4x64-10 [Salmon et al. 2011] in counter mode.
/// The key decides every number, so blocks may be drawn in any order and on any thread.
class RandomStream {
 public:
  RandomStream(Seed seed, Purpose purpose, std::uint64_t block = 0);

  /// 64 uniform bits.
  std::uint64_t bits();

  /// Uniform on the open interval (0, 1): (k + ½)·2⁻⁵², k = 0 … 2⁵² − 1, exactly. Never 0, never 1.
  double uniform();

  /// Uniform on {0, …, n − 1}, without bias. Requires n > 0.
  std::uint64_t below(std::uint64_t n);

 private:
  void refill();

  std::array<std::uint64_t, 2> key_;
  std::array<std::uint64_t, 4> counter_;
  std::array<std::uint64_t, 4> buffer_{};
  std::size_t used_ = 4;
};

}  // namespace gaussianize
#pragma GCC visibility pop
