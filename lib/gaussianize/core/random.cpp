#include "gaussianize/core/random.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gaussianize/core/error.hpp"

namespace gaussianize {
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

RandomStream::RandomStream(Seed seed, Purpose purpose, std::uint64_t block)
    : key_{seed.value, static_cast<std::uint64_t>(purpose)}, counter_{0, 0, block, 0} {}

void RandomStream::refill() {
  buffer_ = philox(counter_, key_);
  if (++counter_[0] == 0) ++counter_[1];
  used_ = 0;
}

std::uint64_t RandomStream::bits() {
  if (used_ == buffer_.size()) refill();
  return buffer_[used_++];
}

double RandomStream::uniform() {
  // 52 bits: with one more, k + ½ would be rounded, and the largest k to 1.
  return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52;
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  require(n > 0, "RandomStream::below(0): there is no number below 0; pass n ≥ 1");
  // Lemire's multiplication, with the short lowest interval rejected.
  Wide product = static_cast<Wide>(bits()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t threshold = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<Wide>(bits()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

std::vector<std::size_t> permutation(std::size_t n, RandomStream& stream) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[stream.below(i)]);
  return order;
}

std::vector<std::size_t> subsample(std::size_t n, std::size_t count, RandomStream& stream) {
  require(count <= n, "subsample: ", count, " distinct rows asked of ", n);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(order[i], order[i + stream.below(n - i)]);
  order.resize(count);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace gaussianize
