#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/copula_model.hpp"
#include "gaussianize/info/measure.hpp"

/// What the measures share; not part of the library's interface.
namespace gaussianize::detail {

/// The measure whose value is the mean of the rows' terms; the log ratio of a row is the influence it has on the
/// estimate, so the spread of the terms is its standard error.
inline Measure measure_of(const Estimate& estimate, std::string method) {
  Measure measure;
  measure.value = estimate.value;
  measure.standard_error = estimate.standard_error;
  measure.interval = {estimate.value - normal_975 * estimate.standard_error,
                      estimate.value + normal_975 * estimate.standard_error};
  measure.method = std::move(method);
  return measure;
}
inline Measure measure_of(const arma::vec& terms, std::string method) {
  return measure_of(mean_estimate(terms), std::move(method));
}

/// The same of terms that a fitted copula made, with its doubts; `less` of its variance is that of parts taken off.
inline Measure measure_of(const arma::vec& terms, const CopulaFit& fit, std::string method, double less = 0.0) {
  Estimate estimate = mean_estimate(terms);
  estimate.standard_error = std::hypot(fit.noise * estimate.standard_error, std::sqrt(fit.variance - less));
  Measure measure = measure_of(estimate, std::move(method));
  measure.warnings = fit.caveats;
  measure.suspect = !fit.caveats.empty();
  return measure;
}

/// The p-value, or why there is none though it was asked for.
inline void take_p_value(Measure& measure, std::optional<double> p_value, const MeasureOptions& options) {
  measure.p_value = p_value;
  if (!p_value && options.permutations > 0)
    measure.warnings.push_back(
        concat("no p-value: with so few rows for so many columns every permutation looks the same"));
}

/// Reports the steps of a measure to the caller's callback.
class Steps {
 public:
  Steps(const MeasureOptions& options, std::size_t total) : options_(options), total_(total) {}
  void done(const char* what) {
    ++done_;
    if (options_.progress && !options_.progress({done_, total_, what})) throw Cancelled();
  }

 private:
  const MeasureOptions& options_;
  std::size_t total_ = 0, done_ = 0;
};

}  // namespace gaussianize::detail
