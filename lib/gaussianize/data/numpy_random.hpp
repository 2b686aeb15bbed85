#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#pragma GCC visibility push(default)
namespace gaussianize {

/// NumPy's legacy generator, numpy.random.RandomState(seed), bit for bit: the published data sets were shuffled and
/// dequantised by it. For those recipes alone; everything else draws from RandomStream.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}

  /// random_sample(): ((a >> 5)·2²⁶ + (b >> 6))/2⁵³ of two words, in [0, 1).
  double random_sample();

  /// The order in which shuffle() leaves n rows: result[i] is the row that comes to place i. n up to 2³².
  std::vector<std::size_t> shuffled(std::size_t n);

 private:
  std::uint32_t up_to(std::uint32_t most);

  std::mt19937 engine_;
};

}  // namespace gaussianize
#pragma GCC visibility pop
