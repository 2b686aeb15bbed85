#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/marginal/kde.hpp"

namespace gaussianize::detail {

/// A signed power about a pole c [Tukey 1977], with u = x − c:
///
///   w(x) = sgn(u)·((|u| + δ)^λ − δ^λ)/λ,   0 < λ ≤ 1;   sgn(u)·log(1 + |u|/δ),   λ = 0.               (P1)
///
/// Increasing and C¹ everywhere. λ = 1 only subtracts c; a small λ spreads a density that is concentrated at c.
struct PowerStep {
  double pole = 0.0;
  double power = 1.0;  ///< λ, in [0, 1]
  double width = 1.0;  ///< δ, positive: within it w is nearly linear
};

/// Steps taken one after the other; none leave the column as it is.
using PowerTransform = std::vector<PowerStep>;

/// The transformed value w, dw/dx and d log(dw/dx)/dx.
struct TransformedValue {
  double value = 0.0;
  double slope = 1.0;
  double log_slope_derivative = 0.0;
};

inline constexpr std::size_t selection_rows = 10000;

/// (P1), step by step, and its inverse.
TransformedValue transform_value(const PowerTransform& transform, double x);
double inverse_transform_value(const PowerTransform& transform, double w);

/// The steps after which a kernel estimate describes the column best, by leave-one-out likelihood (of at most
/// `max_rows` evenly spaced rows): powers in steps of √3 about two poles, `zero` (where the column's own unit has its
/// zero) and the densest place; up to four steps, each of which must gain by three standard errors of the rows'
/// differences and 0.005 nats, or by five and 0.02 nats about `zero`. None for fewer than 50 rows. Steps of √3 undo a
/// cube exactly. O(N log N).
PowerTransform choose_power_transform(const double* x, std::size_t n, double zero,
                                      std::size_t max_rows = selection_rows);

/// Kernel estimates as fit_kde makes them, of each column after its power transform, with fitted tails, and shrunk by
/// `shrinkage` towards the line that standardises the transformed column; each composed with its transform into one
/// spline. Repeated values count as spread evenly over the step that they were rounded to. zero: where each column has
/// its zero.
SplineMarginal fit_power_kde(const arma::mat& x, const arma::rowvec& zero, double shrinkage,
                             const KdeOptions& options = {});

}  // namespace gaussianize::detail
