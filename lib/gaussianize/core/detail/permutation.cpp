#include "gaussianize/core/detail/permutation.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::detail {
namespace {

__extension__ using Wide = unsigned __int128;

// Multipliers and Weyl constants of Philox4x64 [Salmon et al. 2011, table 2].
constexpr std::uint64_t multiplier_0 = 0xD2E7470EE14C6C93ULL;
constexpr std::uint64_t multiplier_1 = 0xCA5A826395121157ULL;
constexpr std::uint64_t weyl_0 = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t weyl_1 = 0xBB67AE8584CAA73BULL;

}  // namespace

std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> c, std::array<std::uint64_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const Wide p0 = static_cast<Wide>(multiplier_0) * c[0];
    const Wide p1 = static_cast<Wide>(multiplier_1) * c[2];
    c = {static_cast<std::uint64_t>(p1 >> 64) ^ c[1] ^ key[0], static_cast<std::uint64_t>(p1),
         static_cast<std::uint64_t>(p0 >> 64) ^ c[3] ^ key[1], static_cast<std::uint64_t>(p0)};
    key[0] += weyl_0;
    key[1] += weyl_1;
  }
  return c;
}

std::vector<std::size_t> permutation(std::size_t n, RandomStream& stream) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
  return order;
}

std::vector<std::size_t> subsample(std::size_t n, std::size_t count, RandomStream& stream) {
  require(count <= n, "subsample: ", count, " distinct rows requested of ", n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(order[i], order[i + stream.below(n - i)]);
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace gaussianize::detail
