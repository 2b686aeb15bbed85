#include "gaussianize/rbig/detail/shrinkage.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gaussianize/marginal/kde.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::size_t min_rows = 20;
constexpr std::size_t max_evaluated = 4096;

/// The first two derivatives of (S1) in α.
class Objective {
 public:
  struct Derivatives {
    double first = 0.0, second = 0.0;
  };

  Objective(const MonotoneSpline& spline, const double* x, std::size_t n)
      : target_slope_(1 / spline.scale), z_(n), slope_(n), target_(n) {
    MonotoneSpline plain = spline;
    plain.shrinkage = 0;
    forward(plain, x, z_.memptr(), slope_.memptr(), n);
    for (std::size_t i = 0; i < n; ++i) target_[i] = (x[i] - spline.shift) / spline.scale;
  }

  Derivatives operator()(double shrinkage) const {
    Derivatives sum;
    for (std::size_t i = 0; i < z_.n_elem; ++i) {
      const double slope = (1 - shrinkage) * slope_[i] + shrinkage * target_slope_;
      const double z = (1 - shrinkage) * z_[i] + shrinkage * target_[i];
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

/// A hash of the number to 0 or 1: the last round of splitmix64.
std::size_t coin(std::uint64_t number) {
  number = (number + 1) * 0x9E3779B97F4A7C15U;
  number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9U;
  number = (number ^ (number >> 27U)) * 0x94D049BB133111EBU;
  return number >> 63U;
}

}  // namespace

double best_shrinkage(const MonotoneSpline& spline, const double* x, std::size_t n, double min_shrinkage) {
  const Objective objective(spline, x, n);
  double low = min_shrinkage;
  double high = 1;
  if (objective(high).first >= 0) return high;
  if (objective(low).first <= 0) return low;
  // Newton's method on the derivative, kept inside a shrinking bracket.
  double shrinkage = 0.5 * (low + high);
  for (int iteration = 0; iteration < 60; ++iteration) {
    const auto [first, second] = objective(shrinkage);
    (first > 0 ? low : high) = shrinkage;
    double next = shrinkage - first / second;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - shrinkage) < 1e-11) return next;
    shrinkage = next;
  }
  return shrinkage;
}

double cross_fitted_shrinkage(const MonotoneSpline& spline, const double* x, std::size_t n, double min_shrinkage,
                              std::optional<TailFit> tails) {
  if (n < min_rows) return min_shrinkage;
  // One of every two neighbouring rows, so that both halves are alike if the rows are sorted; chosen by a hash, so that
  // they are alike if the rows alternate.
  std::array<std::vector<double>, 2> halves;
  for (std::size_t i = 0; i < n; ++i) halves[(i + coin(i / 2)) % 2].push_back(x[i]);
  const double bandwidth = spline.bandwidth * std::pow(2.0, 0.2);
  double sum = 0;
  for (const std::size_t h : {0, 1}) {
    const std::vector<double>&fitted = halves[h], &others = halves[1 - h];
    MonotoneSpline estimate = kde_spline(fitted.data(), fitted.size(), bandwidth);
    if (tails) fit_tails(estimate, fitted.data(), fitted.size(), *tails);
    estimate.shift = spline.shift;
    estimate.scale = spline.scale;
    const arma::vec evaluated = evenly_spaced(others.data(), others.size(), std::min(others.size(), max_evaluated));
    sum += best_shrinkage(estimate, evaluated.memptr(), evaluated.n_elem, min_shrinkage);
  }
  return sum / 2;
}

}  // namespace gaussianize::detail
