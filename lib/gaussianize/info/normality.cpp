#include "gaussianize/info/normality.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

NormalityTest test_column(const arma::vec& z) {
  std::vector<double> lower(z.n_elem), upper(z.n_elem);
  for (std::size_t i = 0; i < z.n_elem; ++i) {
    lower[i] = log_normal_cdf(z[i]);
    upper[i] = log_normal_cdf(-z[i]);
  }
  const double statistic = anderson_darling(std::move(lower), std::move(upper));
  return {statistic, anderson_darling_p_value(statistic)};
}

NormalityTest test_norms(const arma::mat& z) {
  const double half = 0.5 * static_cast<double>(z.n_cols);
  const arma::vec norms = arma::sum(arma::square(z), 1);
  std::vector<double> lower(z.n_rows), upper(z.n_rows);
  for (std::size_t i = 0; i < z.n_rows; ++i) {
    const bool finite = std::isfinite(norms[i]);
    lower[i] = finite ? std::log(boost::math::gamma_p(half, 0.5 * norms[i])) : 0.0;
    upper[i] = finite ? std::log(boost::math::gamma_q(half, 0.5 * norms[i])) : -HUGE_VAL;
  }
  const double statistic = anderson_darling(std::move(lower), std::move(upper));
  return {statistic, anderson_darling_p_value(statistic)};
}

/// Columns whose entries are independent N(0, 1) have r² ~ Beta(½, (N − 1)/2), uncorrelated over the pairs: mean and
/// variance of their mean are known, and another Beta distribution has both; for one pair it is the same.
NormalityTest test_correlations(const arma::mat& z, int threads) {
  if (z.n_cols < 2) return {};
  const auto n = static_cast<double>(z.n_rows);
  const auto pairs = 0.5 * static_cast<double>(z.n_cols) * static_cast<double>(z.n_cols - 1);
  arma::mat unit(z.n_rows, z.n_cols);
  parallel_for(z.n_cols, threads, [&](std::size_t d) {
    const double maximum = arma::abs(z.col(d)).max();
    unit.col(d) = arma::normalise(maximum > 0 ? arma::vec(z.col(d) / maximum) : arma::vec(z.col(d)));
  });
  const BlasGuard blas;
  const arma::mat r = unit.t() * unit;
  const double sum = 0.5 * (arma::accu(arma::square(r)) - arma::accu(arma::square(r.diag())));
  const double both = 0.5 * pairs * (n + 2) - 1;
  const double mean_square = std::clamp(sum / pairs, 0.0, 1.0);  // by rounding it can be a little outside
  return {sum, boost::math::ibetac(both / n, both - both / n, mean_square)};
}

/// Φ⁻¹(2Φ(|z|) − 1), from whichever tail is the smaller. Zero, which has no such value, is taken for a |z| that a
/// normal variable falls below once in 2⁶⁰ draws.
double normal_magnitude(double z) {
  const double size = std::abs(z);
  if (size > 1) return -normal_quantile_from_log(log_normal_cdf(-size) + std::numbers::ln2);
  return normal_quantile(std::max(std::erf(size / std::numbers::sqrt2), 0x1p-60));
}

}  // namespace

double anderson_darling(std::vector<double> log_lower, std::vector<double> log_upper) {
  // The value of rank i from below has rank N + 1 − i from above, so each tail can be sorted by itself.
  std::sort(log_lower.begin(), log_lower.end());
  std::sort(log_upper.begin(), log_upper.end());
  const auto n = static_cast<double>(log_lower.size());
  double sum = 0;
  for (std::size_t i = 0; i < log_lower.size(); ++i)
    sum += (2 * static_cast<double>(i) + 1) / n * (log_lower[i] + log_upper[i]);
  return -n - sum;
}

double anderson_darling_p_value(double a) {
  if (std::isnan(a)) return std::numeric_limits<double>::quiet_NaN();
  if (a < 0.05) return 1;
  // Between poles, with y = (v² − 1)/4 and v = 4k + sin θ, the integrand is smooth and periodic in θ: equal steps
  // converge exponentially.
  constexpr int steps = 64;
  double sum = 0;
  for (int k = 1; k <= 60; ++k) {
    double part = 0;
    for (int j = 0; j < steps; ++j) {
      const double theta = std::numbers::pi * ((j + 0.5) / steps - 0.5);
      const double v = 4 * k + std::sin(theta);
      const double root = std::sqrt((v * v - 1) * std::cos(0.5 * std::numbers::pi * std::sin(theta)));
      part += std::exp(-a * (v * v - 1) / 8) * v * std::cos(theta) / root;
    }
    part *= std::sqrt(std::numbers::pi) / steps;
    sum += k % 2 == 1 ? part : -part;
    if (part <= 1e-16 * sum) break;
  }
  return std::min(1.0, sum);
}

std::vector<double> holm_adjusted(const std::vector<double>& p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(order.size() - rank) * p_values[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

NormalityReport test_normality(const arma::mat& z, int threads) {
  require(z.n_rows >= 2 && z.n_cols >= 1, "test_normality: ", z.n_rows, " × ", z.n_cols,
          " data; at least 2 rows and 1 column are needed");
  require_finite(z, "test_normality");
  NormalityReport report;
  report.columns.resize(z.n_cols);
  arma::mat magnitudes(z.n_rows, z.n_cols);
  parallel_for(z.n_cols, threads, [&](std::size_t d) {
    report.columns[d] = test_column(z.col(d));
    for (std::size_t i = 0; i < z.n_rows; ++i) magnitudes(i, d) = normal_magnitude(z(i, d));
  });
  std::vector<double> p_values;
  for (const NormalityTest& test : report.columns) p_values.push_back(test.p_value);
  report.adjusted_p_values = holm_adjusted(p_values);
  report.norms = test_norms(z);
  report.correlations = test_correlations(z, threads);
  report.magnitude_correlations = test_correlations(magnitudes, threads);

  const double columns = *std::min_element(report.adjusted_p_values.begin(), report.adjusted_p_values.end());
  const double joint =
      std::min({report.norms.p_value, report.correlations.p_value, report.magnitude_correlations.p_value});
  const double families = z.n_cols > 1 ? 4 : 2;
  report.p_value = std::min(1.0, families * std::min(columns, joint));
  return report;
}

}  // namespace gaussianize
