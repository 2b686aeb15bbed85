#include "gaussianize/rbig/shrinkage.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/marginal/tail.hpp"

namespace gaussianize {
namespace {

constexpr std::size_t least_rows = 20;
constexpr std::size_t most_judges = 4096;

/// The first two derivatives of (S1) in α.
class Objective {
 public:
  struct Derivatives {
    double first = 0.0, second = 0.0;
  };

  Objective(const MonotoneTable& table, const double* x, std::size_t n)
      : target_slope_(1 / table.scale), z_(n), slope_(n), target_(n) {
    MonotoneTable plain = table;
    plain.blend = 0;
    evaluate(plain, x, z_.memptr(), slope_.memptr(), n);
    for (std::size_t i = 0; i < n; ++i) target_[i] = (x[i] - table.shift) / table.scale;
  }

  Derivatives operator()(double blend) const {
    Derivatives sum;
    for (std::size_t i = 0; i < z_.n_elem; ++i) {
      const double slope = (1 - blend) * slope_[i] + blend * target_slope_;
      const double z = (1 - blend) * z_[i] + blend * target_[i];
      const double slope_rate = (target_slope_ - slope_[i]) / slope;
      const double z_rate = target_[i] - z_[i];
      sum.first += slope_rate - z * z_rate;
      sum.second -= slope_rate * slope_rate + z_rate * z_rate;
    }
    return sum;
  }

 private:
  double target_slope_;
  arma::vec z_, slope_, target_;
};

}  // namespace

double best_blend(const MonotoneTable& table, const double* x, std::size_t n, double least) {
  const Objective objective(table, x, n);
  double low = least;
  double high = 1;
  if (objective(high).first >= 0) return high;
  if (objective(low).first <= 0) return low;
  // Newton's method on the derivative, kept inside a shrinking bracket.
  double blend = 0.5 * (low + high);
  for (int iteration = 0; iteration < 60; ++iteration) {
    const auto [first, second] = objective(blend);
    (first > 0 ? low : high) = blend;
    double next = blend - first / second;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - blend) < 1e-11) return next;
    blend = next;
  }
  return blend;
}

double cross_fitted_blend(const MonotoneTable& table, const double* x, std::size_t n, double least, bool fitted_tails) {
  if (n < least_rows) return least;
  const std::size_t half = n / 2;
  const double bandwidth = table.bandwidth * std::pow(2.0, 0.2);
  double sum = 0;
  for (const std::size_t start : {std::size_t{0}, n - half}) {
    MonotoneTable estimate = tabulate_kde(x + start, half, bandwidth);
    if (fitted_tails) fit_tails(estimate, x + start, half);
    estimate.shift = table.shift;
    estimate.scale = table.scale;
    const double* others = x + (start == 0 ? n - half : 0);
    const arma::vec judges = evenly_spaced(others, half, std::min(half, most_judges));
    sum += best_blend(estimate, judges.memptr(), judges.n_elem, least);
  }
  return sum / 2;
}

}  // namespace gaussianize
