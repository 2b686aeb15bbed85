#include "gaussianize/marginal/detail/negentropy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

/// log f(x_i) − log φ(x_i) of every row.
arma::vec log_ratio(const double* x, std::size_t n) {
  const double scale = robust_scale(x, n);
  if (!(scale > 0)) {
    arma::vec infinite(n);
    infinite.fill(std::numeric_limits<double>::infinity());
    return infinite;
  }
  // Columns that differ by rounding alone, as rotated collinear ones do, are given a bandwidth that can be told from
  // it.
  const double largest =
      std::abs(*std::max_element(x, x + n, [](double a, double b) { return std::abs(a) < std::abs(b); }));
  const MonotoneSpline table = kde_spline(x, n, std::max(rule_of_thumb_bandwidth(scale, n), 1e-12 * largest));
  arma::vec ratio = leave_one_out_log_density(table, x, n);
  for (std::size_t i = 0; i < n; ++i) ratio[i] -= log_normal_pdf(x[i]);
  return ratio;
}

}  // namespace

Estimate negentropy(const double* x, std::size_t n) {
  return mean_estimate(log_ratio(x, n));
}

Estimate kernel_negentropy(const arma::mat& x, std::size_t max_rows, int threads) {
  const std::size_t rows = max_rows > 0 ? std::min<std::size_t>(max_rows, x.n_rows) : x.n_rows;
  arma::mat ratio(rows, x.n_cols);
  parallel_for(x.n_cols, threads, [&](std::size_t d) {
    ratio.col(d) = log_ratio(evenly_spaced(x.colptr(d), x.n_rows, rows).memptr(), rows);
  });
  return mean_estimate(arma::sum(ratio, 1));
}

}  // namespace gaussianize::detail
