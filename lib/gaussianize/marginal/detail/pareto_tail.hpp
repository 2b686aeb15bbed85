#pragma once

#include <cstddef>
#include <limits>

#include "gaussianize/marginal/monotone_spline.hpp"

namespace gaussianize::detail {

/// What a fitted tail may be.
struct TailFit {
  bool heavy = true;       ///< exponential or generalised Pareto where that is likelier; false: always straight
  double min_slope = 0.0;  ///< of a straight tail that is fitted
  double max_slope = std::numeric_limits<double>::infinity();
};

/// Replaces the kernel's tails by ones fitted to the outermost rows. A kernel estimate ends with its bandwidth: a
/// little beyond the last row it falls off far faster than any real distribution, and a flow of many layers throws such
/// rows farther out at each. So each tail is cut at the cell where about √N rows (at least 10) are left, or farther out
/// where z is level there, as before a group of outliers, and continued by a straight line, z = z₀ + s·e for the excess
/// e over the cut. The n excesses are then normal rows beyond z₀, and their likelihood is largest for
///
///   s = 2n/(z₀ Σe + √(z₀² (Σe)² + 4n Σe²)),                                                                  (T3)
///
/// or by a generalised Pareto tail (T2): shape by probability-weighted moments [Hosking & Wallis 1987], less its
/// standard error and never negative, hazard by the mean excess. The likelier of the two is taken. The map stays
/// increasing and C¹. Tables of fewer than 50 rows, and tails that hold no usable rows, keep the kernel's; if heavy
/// ones are not allowed, it is straight from the outermost knot on. O(N).
void fit_tails(MonotoneSpline& spline, const double* x, std::size_t n, const TailFit& fit = {});

}  // namespace gaussianize::detail
