#include "gaussianize/marginal/bandwidth.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/detail/kde_sums.hpp"
#include "gaussianize/marginal/detail/sheather_jones.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/detail/simd.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::size_t quantile_rows = 2048;
constexpr double min_share = 1e-10;  // of the standard deviation: what is narrower is rounding

/// About the mean of `rows`, evenly spaced rows of x, rather than that of x: so near it that nothing is lost when the
/// difference is corrected for, at most a factor n/|rows| of the rounding error.
double standard_deviation(const double* x, std::size_t n, const std::vector<double>& rows) {
  // In units of the largest modulus, so that no square overflows.
  const Range range = simd().spline.range(x, n);
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  if (range.low == range.high) return 0;
  const double unit = std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1000, 1000));
  const DeviationSums near = simd().spline.deviation_sums(rows.data(), rows.size(), unit, 0);
  const DeviationSums sums = simd().spline.deviation_sums(x, n, unit, near.sum / static_cast<double>(rows.size()));
  const double mean = sums.sum / static_cast<double>(n);
  return std::sqrt(std::max(0.0, sums.squares / static_cast<double>(n) - mean * mean)) / unit;
}

/// The h of largest leave-one-out likelihood, to 0.6 %: the best of a coarse scan, then of ever closer neighbours.
/// Fixed multiples of `start` are compared, rather than a curve followed into its rounding, so that the column's unit
/// and origin do not show in the choice.
double likelihood_bandwidth(const double* x, std::size_t n, double start) {
  const double least = KdeSums::min_bandwidth(x, n);
  const auto loss = [&](double log_ratio) {
    return -arma::mean(leave_one_out_log_density(kde_spline(x, n, start * std::exp(log_ratio)), x, n));
  };
  const double reach = std::log(10.0);
  constexpr int scan = 6;
  double best = 0;
  double best_loss = loss(best);
  const auto consider = [&](double candidate) {
    if (std::abs(candidate) > reach || start * std::exp(candidate) < least) return;
    if (const double value = loss(candidate); value < best_loss) {
      best_loss = value;
      best = candidate;
    }
  };
  for (int i = 1; i <= scan; ++i) {
    consider(reach * i / scan);
    consider(-reach * i / scan);
  }
  for (int halvings = 1; halvings <= 6; ++halvings) {
    const double centre = best;
    const double step = reach / scan * std::ldexp(1.0, -halvings);
    consider(centre - step);
    consider(centre + step);
  }
  return start * std::exp(best);
}

}  // namespace

double robust_scale(const double* x, std::size_t n) {
  if (n == 0) return 0;
  const std::size_t count = std::min(n, quantile_rows);
  std::vector<double> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = x[i * n / count];
  const double deviation = standard_deviation(x, n, rows);
  // Only four of the ranks are needed, each found among those that the ones before have set apart.
  const auto rank = [&](double p) {
    return rows.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(count - 1) + 0.5);
  };
  const auto select = [&](auto begin, double p, auto end) {
    std::nth_element(begin, rank(p), end);
    return *rank(p);
  };
  const double quarter = select(rows.begin(), 0.25, rows.end());
  const double three_quarters = select(rank(0.25), 0.75, rows.end());
  const double highest = select(rank(0.75), 0.95, rows.end());
  const double lowest = rank(0.05) < rank(0.25) ? select(rows.begin(), 0.05, rank(0.25)) : quarter;
  const double middle = (three_quarters - quarter) / 1.3489795;
  const double wide = std::min(deviation, (highest - lowest) / 3.2897073);
  const double scale = std::max(std::min(deviation, middle), wide / 50);
  return scale > 0 ? std::max(scale, min_share * deviation) : deviation;
}

double rule_of_thumb_bandwidth(double scale, std::size_t n) {
  const double pi = std::numbers::pi;
  return scale * std::pow(4 * std::sqrt(pi) / (pi * pi * pi * pi * static_cast<double>(n)), 0.2);
}

double select_bandwidth(const double* x, std::size_t n, BandwidthRule rule) {
  if (n < 2) throw DataError(concat("a bandwidth needs at least 2 rows, not ", n));
  const double scale = robust_scale(x, n);
  if (!(scale > 0)) {
    const double* bad = std::find_if(x, x + n, [](double value) { return !std::isfinite(value); });
    if (bad != x + n) throw DataError(concat("row ", bad - x, " is ", *bad, "; drop it or fill it in"));
    throw DataError(concat("constant (", x[0], "): it has no density; drop it"));
  }
  const double thumb = rule_of_thumb_bandwidth(scale, n);
  if (rule == BandwidthRule::likelihood) return likelihood_bandwidth(x, n, thumb);
  if (rule == BandwidthRule::sheather_jones)
    if (const auto normal = sheather_jones_bandwidth(x, n, scale)) return *normal * logistic_per_normal_bandwidth;
  return thumb;
}

}  // namespace gaussianize
