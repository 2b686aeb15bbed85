#pragma once

#include <cmath>
#include <limits>

#include <armadillo>

#pragma GCC visibility push(default)
namespace gaussianize {

/// A number that was estimated, with the standard error of the estimate, in the number's own unit.
struct Estimate {
  double value = 0.0;
  double standard_error = 0.0;
};

/// The mean of independent values; NaN of none. Its standard error is NaN for fewer than two, or if one is not finite.
/// Infinite values of one sign make the mean infinite.
inline Estimate mean_estimate(const arma::vec& values) {
  const auto n = static_cast<double>(values.n_elem);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (values.empty()) return {nan, nan};
  const double mean = arma::mean(values);
  if (!std::isfinite(mean)) return {arma::accu(values), nan};
  if (values.n_elem < 2) return {mean, nan};
  return {mean, std::sqrt(arma::accu(arma::square(values - mean)) / (n * (n - 1)))};
}

}  // namespace gaussianize
#pragma GCC visibility pop
