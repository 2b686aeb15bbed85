#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gaussianize/core/random.hpp"

namespace gaussianize::detail {

/// Philox4x64 with ten rounds: the bijection of a 256-bit counter under a 128-bit key that RandomStream evaluates.
std::array<std::uint64_t, 4> philox(std::array<std::uint64_t, 4> counter, std::array<std::uint64_t, 2> key);

/// A uniformly random permutation of 0 … n − 1 (Fisher–Yates).
std::vector<std::size_t> permutation(std::size_t n, RandomStream& stream);

/// `count` distinct indices out of 0 … n − 1, in increasing order. Requires count ≤ n.
std::vector<std::size_t> subsample(std::size_t n, std::size_t count, RandomStream& stream);

}  // namespace gaussianize::detail
