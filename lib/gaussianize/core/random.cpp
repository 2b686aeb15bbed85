#include "gaussianize/core/random.hpp"

#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;

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
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(bits()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t threshold = (0 - n) % n;
    while (static_cast<std::uint64_t>(product) < threshold) product = static_cast<Wide>(bits()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace gaussianize
