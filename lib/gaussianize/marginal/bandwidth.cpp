#include "gaussianize/marginal/bandwidth.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/marginal/sheather_jones.hpp"

namespace gaussianize {
namespace {

constexpr std::size_t quantile_rows = 2048;

double standard_deviation(const double* x, std::size_t n) {
  const auto rows = static_cast<double>(n);
  // In units of the largest modulus, so that no square overflows.
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(x[i]));
  if (largest == 0) return 0;
  const double unit = std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += x[i] * unit;
  mean /= rows;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += (x[i] * unit - mean) * (x[i] * unit - mean);
  return std::sqrt(squares / rows) / unit;
}

/// The h of largest leave-one-out likelihood: a coarse scan, then Brent's method around its best.
double likelihood_bandwidth(const double* x, std::size_t n, double start) {
  const auto loss = [&](double log_h) {
    const double h = std::exp(log_h);
    return -arma::mean(leave_one_out_log_density(tabulate_kde(x, n, h), x, n));
  };
  const double centre = std::log(start);
  const double reach = std::log(10.0);
  constexpr int scan = 6;
  double best = centre;
  double best_loss = loss(centre);
  for (int i = -scan; i <= scan; ++i) {
    if (i == 0) continue;
    const double candidate = centre + reach * i / scan;
    const double value = loss(candidate);
    if (value < best_loss) {
      best_loss = value;
      best = candidate;
    }
  }
  std::uintmax_t iterations = 12;
  const double step = reach / scan;
  const auto [log_h, value] = boost::math::tools::brent_find_minima(loss, best - step, best + step, 12, iterations);
  return std::exp(value < best_loss ? log_h : best);
}

}  // namespace

double robust_scale(const double* x, std::size_t n) {
  const double deviation = standard_deviation(x, n);
  std::vector<double> rows;
  const std::size_t count = std::min(n, quantile_rows);
  rows.reserve(count);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(x[i * n / count]);
  std::sort(rows.begin(), rows.end());
  const auto quantile = [&](double p) { return rows[static_cast<std::size_t>(p * static_cast<double>(count - 1) + 0.5)]; };
  const double middle = (quantile(0.75) - quantile(0.25)) / 1.3489795;
  const double wide = std::min(deviation, (quantile(0.95) - quantile(0.05)) / 3.2897073);
  const double scale = std::max(std::min(deviation, middle), wide / 50);
  return scale > 0 ? scale : deviation;
}

double rule_of_thumb_bandwidth(double scale, std::size_t n) {
  const double pi = std::numbers::pi;
  return scale * std::pow(4 * std::sqrt(pi) / (pi * pi * pi * pi * static_cast<double>(n)), 0.2);
}

double select_bandwidth(const double* x, std::size_t n, BandwidthRule rule) {
  if (n < 2) throw DataError(concat("a bandwidth needs at least 2 rows, not ", n));
  const double scale = robust_scale(x, n);
  if (!(scale > 0)) throw DataError(concat("constant (", x[0], "): it has no density; drop it"));
  const double thumb = rule_of_thumb_bandwidth(scale, n);
  if (rule == BandwidthRule::likelihood) return likelihood_bandwidth(x, n, thumb);
  if (rule == BandwidthRule::sheather_jones)
    if (const auto normal = sheather_jones_bandwidth(x, n, scale)) return *normal * logistic_per_normal_bandwidth;
  return thumb;
}

}  // namespace gaussianize
