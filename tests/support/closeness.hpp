#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

/// How far a computed value is from the true one. An assertion states the error that it allows, relative or absolute:
/// CHECK(relative_error(value, truth) < 1e-12). Every comparison is written so that a NaN fails it.
namespace gaussianize::testing {

/// |value − truth| relative to the larger of the two; 0 if they are equal, infinite if either is NaN. For quantities
/// that are not small differences: against a truth of 0 any other value has error 1.
inline double relative_error(double value, double truth) {
  if (value == truth) return 0.0;
  const double error = std::abs(value - truth) / std::max(std::abs(value), std::abs(truth));
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// |value − truth|, in the unit of both; 0 if they are equal, infinite if either is NaN.
inline double absolute_error(double value, double truth) {
  if (value == truth) return 0.0;
  const double error = std::abs(value - truth);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

}  // namespace gaussianize::testing
