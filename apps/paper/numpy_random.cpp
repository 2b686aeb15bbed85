#include "paper/numpy_random.hpp"

#include <bit>
#include <numeric>
#include <utility>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;

double NumpyRandom::random_sample() {
  const auto high = static_cast<double>(engine_() >> 5);
  const auto low = static_cast<double>(engine_() >> 6);
  return (high * 0x1p26 + low) * 0x1p-53;
}

/// Uniform on 0 … maximum by rejection under the smallest mask of ones that covers it.
std::uint32_t NumpyRandom::up_to(std::uint32_t maximum) {
  const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(maximum);
  for (;;) {
    const auto value = static_cast<std::uint32_t>(engine_()) & mask;
    if (value <= maximum) return value;
  }
}

std::vector<std::size_t> NumpyRandom::shuffled(std::size_t n) {
  require(n <= std::size_t{1} << 32, "NumpyRandom: ", n, " rows; the generator shuffles up to 2^32");
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i-- > 1;) std::swap(order[i], order[up_to(static_cast<std::uint32_t>(i))]);
  return order;
}

}  // namespace gaussianize
