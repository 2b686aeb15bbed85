#pragma once

#include <cstddef>
#include <optional>

#include "gaussianize/marginal/detail/pareto_tail.hpp"
#include "gaussianize/marginal/monotone_spline.hpp"

namespace gaussianize::detail {

/// The shrinkage of (T1), in [min_shrinkage, 1], that maximises the log likelihood of n values that the spline was not
/// fitted to,
///
///   ℓ(α) = mean log((1 − α) z′ + α/s) − ½ mean ((1 − α) z + α (x − m)/s)²,                            (S1)
///
/// which is concave in α. The spline's shift m and scale s define the affine map it is shrunk towards.
double best_shrinkage(const MonotoneSpline& spline, const double* x, std::size_t n, double min_shrinkage);

/// The same for the rows that the spline is fitted to, without held-out rows: each half of the rows is evaluated by the
/// map fitted to the other (with the bandwidth for half as many rows), and the two results are averaged. At most 4096
/// rows of each half are evaluated. `tails`: how the spline's own were fitted, if they were. Returns `min_shrinkage`
/// for fewer than 20 rows.
double cross_fitted_shrinkage(const MonotoneSpline& spline, const double* x, std::size_t n, double min_shrinkage,
                              std::optional<TailFit> tails);

}  // namespace gaussianize::detail
