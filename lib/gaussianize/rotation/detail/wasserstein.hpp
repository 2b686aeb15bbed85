#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// What the finders of a rotation share; not part of the library's interface.
namespace gaussianize::detail {

struct Ranked {
  double value;
  std::uint32_t index;
};

/// The n < 2³² finite values in increasing order, equal ones by index. Values go to buckets first, so it takes O(n) for
/// anything like a bell curve and never more than O(n log n). The sorts of Boost.Sort take up to five times as long.
std::vector<Ranked> sorted(const double* values, std::size_t n);

/// Φ⁻¹((i + ½)/n), i = 0 … n − 1; exactly antisymmetric.
std::vector<double> normal_scores(std::size_t n);

/// How a sample p compares with N(0, 1) when it is carried onto the normal scores in order, T(p_(i)) = scores[i].
struct NormalFit {
  double distance = 0.0;     ///< mean (p − T)²: W₂² to the scores
  double correlation = 0.0;  ///< mean p·T
  double slope = 1.0;        ///< mean T′(p), by differences over equal shares of the sample
};

/// Compares n values with n scores, and writes p − T(p), in the values' own order, to `residual`.
NormalFit fit_normal(const double* values, const std::vector<double>& scores, double* residual);

}  // namespace gaussianize::detail
