#pragma once

#include <cstddef>

#include "gaussianize/marginal/detail/mixture_evaluator.hpp"

namespace gaussianize::detail {

/// A logistic mixture in logarithms, one row at a time: right where the sums of the vector loops underflow, and
/// everywhere else too, if slower. (M9)–(M12) of docs/gradients.md.
struct TailPoint {
  double z = 0.0, log_dzdx = 0.0;
  // t′ = side·t points into the smaller tail p, and what is summed over kernels is kept as max + log Σ:
  double side = 1.0;                            ///< 1 in the lower half, −1 in the upper
  double largest_tail = 0.0, tail_sum = 0.0;    ///< of log w σ(t′)
  double largest_slope = 0.0, slope_sum = 0.0;  ///< of log w σ′(t)/h, less largest_tail
};

/// (M1), (M2) at x in dimension d. At x = ±∞ (or t so large that it overflows) z = ±∞ and log dz/dx = −∞; NaN at NaN.
TailPoint tail_point(const MixtureEvaluator& mixture, std::size_t d, double x);

/// Returns ∂L/∂x of one row, and adds to the K sums of dimension d that are the gradients' negatives before softmax:
/// mu −μ̄, scale −λ̄, weight w·w̄ (left alone if null).
double tail_backward(const MixtureEvaluator& mixture, std::size_t d, double x, double z_bar, double log_dzdx_bar,
                     const MixtureSums& sums);

/// An interval that holds the x with z(x) = z: the least and the largest of the kernels' own quantiles.
struct Bracket {
  double low = 0.0, high = 0.0;
};
Bracket quantile_bracket(const MixtureEvaluator& mixture, std::size_t d, double z);

/// The x in `bracket` with z(x) = z, by Newton's method, halving the bracket where that leaves it or is slow.
double solve_inverse(const MixtureEvaluator& mixture, std::size_t d, double z, Bracket bracket);

}  // namespace gaussianize::detail
