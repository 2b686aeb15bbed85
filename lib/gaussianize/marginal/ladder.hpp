#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/marginal/kde.hpp"

namespace gaussianize {

/// A step on the ladder of powers [Tukey 1977] about a pole c, with u = x − c:
///
///   w(x) = sgn(u)·((|u| + δ)^λ − δ^λ)/λ,   0 < λ ≤ 1;   sgn(u)·log(1 + |u|/δ),   λ = 0.               (L1)
///
/// Increasing and C¹ everywhere. λ = 1 leaves the column as it is but for c; a small λ unfolds a density that crowds
/// at c.
struct Rung {
  double pole = 0.0;
  double power = 1.0;  ///< λ, in [0, 1]
  double width = 1.0;  ///< δ, positive: within it w is nearly straight
};

/// Steps taken one after the other; none leave the column as it is.
using Ladder = std::vector<Rung>;

/// A place on the ladder: the climbed value w, dw/dx and d log(dw/dx)/dx.
struct Climbed {
  double value = 0.0;
  double slope = 1.0;
  double bend = 0.0;
};

inline constexpr std::size_t judged_rows = 10000;

/// (L1), step by step, and its inverse.
Climbed climb(const Ladder& ladder, double x);
double climb_back(const Ladder& ladder, double w);

/// The steps after which a kernel estimate describes the column best, by leave-one-out likelihood (of at most
/// `most_rows` evenly spaced rows): powers in steps of √3 about two poles, `zero` (where the column's own unit has its
/// zero) and the densest place; up to four steps, each of which must gain by three standard errors of the rows'
/// differences and 0.005 nats, or by five and 0.02 nats about `zero`. None for fewer than 50 rows. Steps of √3 undo a
/// cube exactly. O(N log N).
Ladder choose_ladder(const double* x, std::size_t n, double zero, std::size_t most_rows = judged_rows);

/// Kernel estimates as fit_kde makes them, each at the top of its column's ladder, with fitted tails, and with `blend`
/// of the line that standardises the climbed column; as one table a column. Repeated values count as spread evenly over
/// the step that they were rounded to. zero: where each column has its zero.
TabulatedMarginal fit_ladder_kde(const arma::mat& x, const arma::rowvec& zero, double blend,
                                 const KdeOptions& options = {});

}  // namespace gaussianize
