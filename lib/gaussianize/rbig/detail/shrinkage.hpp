#pragma once

#include <cstddef>
#include <optional>

#include "gaussianize/marginal/detail/pareto_tail.hpp"
#include "gaussianize/marginal/monotone_spline.hpp"

namespace gaussianize::detail {

/// The blend of (T1), in [least, 1], that maximises the log likelihood of n values the table was not made from,
///
///   ℓ(α) = mean log((1 − α) z′ + α/s) − ½ mean ((1 − α) z + α (x − m)/s)²,                            (S1)
///
/// which is concave in α. The table's own shift m and scale s say what is shrunk towards.
double best_shrinkage(const MonotoneSpline& table, const double* x, std::size_t n, double least);

/// The same for the rows a table is to be made from, without spending any: each half of the rows judges an estimate
/// made from the other (with the bandwidth that half as many rows ask for), and the two answers are averaged. At most
/// 4096 rows of each half judge. `tails`: as the table's own were fitted, if they were. Returns `least` for fewer than
/// 20 rows.
double cross_fitted_shrinkage(const MonotoneSpline& table, const double* x, std::size_t n, double least,
                              std::optional<TailFit> tails);

}  // namespace gaussianize::detail
