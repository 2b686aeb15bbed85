#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/marginal/bandwidth.hpp"
#include "gaussianize/marginal/spline_marginal.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// The map z(x) = Φ⁻¹(F(x)) of the logistic kernel estimate F with bandwidth h, as a spline: within 1e-6 of the direct
/// sum wherever the smaller tail is at least 1e-12, and with the kernel's own exponential tails beyond. O(N) for data
/// without far outliers, O(N log N) at worst. Throws DataError if h is too small for the data's range.
MonotoneSpline kde_spline(const double* x, std::size_t n, double bandwidth);

struct KdeOptions {
  BandwidthRule bandwidth = BandwidthRule::rule_of_thumb;
  std::size_t max_rows = 0;  ///< use at most this many rows, evenly spaced; 0 is all
  int threads = 0;
};

/// One kernel estimate per column of x, without blending. Throws DataError, naming the column, if one is constant or
/// spans more than its bandwidth can be told from.
SplineMarginal fit_kde(const arma::mat& x, const KdeOptions& options = {});

/// The same for one column; options.threads does not matter.
MonotoneSpline fit_kde_column(const double* x, std::size_t n, const KdeOptions& options = {});

/// log f(x_i) with row i left out of f, for the n rows that `spline` was made from (blending aside): nearly free of the
/// bias of judging an estimate by its own data. What the other rows give is known to 5e-4 of the whole, the row's own
/// kernel included, so an isolated row counts as if they gave it 5e-4 of its own kernel's height.
arma::vec leave_one_out_log_density(const MonotoneSpline& spline, const double* x, std::size_t n);

/// Values i·n/count, i = 0 … count − 1, of n.
arma::vec evenly_spaced(const double* x, std::size_t n, std::size_t count);

}  // namespace gaussianize
#pragma GCC visibility pop
