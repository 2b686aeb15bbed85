#pragma once

#include <cmath>
#include <limits>

#include <armadillo>

namespace gaussianize {

/// A number that was estimated, with the standard error of the estimate, in the number's own unit.
struct Estimate {
  double value = 0.0;
  double standard_error = 0.0;
};

/// The mean of independent values; its standard error is NaN for fewer than two.
inline Estimate mean_estimate(const arma::vec& values) {
  const auto n = static_cast<double>(values.n_elem);
  const double mean = arma::mean(values);
  if (values.n_elem < 2) return {mean, std::numeric_limits<double>::quiet_NaN()};
  return {mean, std::sqrt(arma::accu(arma::square(values - mean)) / (n * (n - 1)))};
}

}  // namespace gaussianize
