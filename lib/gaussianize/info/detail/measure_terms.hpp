#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/math/normal.hpp"

/// What the measures share: terms of the rows, and what becomes of them.
namespace gaussianize::detail {

/// Σ_d log φ(z_d) of every row.
inline arma::vec log_normal_rows(const arma::mat& z) {
  return static_cast<double>(z.n_cols) * log_normal_pdf(0.0) - 0.5 * arma::sum(arma::square(z), 1);
}

/// Rows with even (half 0) and with odd index (half 1): what is fitted to one half is evaluated on the other.
inline arma::uvec half_of_rows(std::size_t rows, std::size_t half) {
  arma::uvec index((rows + 1 - half) / 2);
  for (std::size_t i = 0; i < index.n_elem; ++i) index[i] = 2 * i + half;
  return index;
}

/// Whether the mean of `better` − `base` exceeds so many of its standard errors.
inline bool exceeds(const arma::vec& better, const arma::vec& base, double standard_errors) {
  const Estimate gain = mean_estimate(better - base);
  return gain.value > standard_errors * gain.standard_error;
}

inline Measure measure_of(const Estimate& estimate, std::string method) {
  Measure measure;
  measure.value = estimate.value;
  measure.standard_error = estimate.standard_error;
  measure.interval = {estimate.value - normal_975 * estimate.standard_error,
                      estimate.value + normal_975 * estimate.standard_error};
  measure.method = std::move(method);
  return measure;
}

/// The measure whose value is the mean of the rows' terms; the log ratio of a row is the influence it has on the
/// estimate, so the spread of the terms is its standard error.
inline Measure measure_of(const arma::vec& terms, std::string method) {
  return measure_of(mean_estimate(terms), std::move(method));
}

/// The p-value, or why there is none though it was asked for.
inline void set_p_value(Measure& measure, std::optional<double> p_value, const MeasureOptions& options) {
  measure.p_value = p_value;
  if (!p_value && options.permutations > 0)
    measure.warnings.push_back(
        concat("no p-value: with so few rows for so many columns every permutation has the same statistic"));
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
