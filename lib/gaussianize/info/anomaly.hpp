#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/core/execution.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/flow.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Log densities of rows from the data's distribution that the flow was not fitted to, increasing. io/model_file.hpp
/// stores them with the flow.
using Calibration = std::vector<double>;

/// The log densities of `rows` under the flow, or of 10,000 to 20,000 evenly spaced ones if there are more than 20,000.
/// Throws std::invalid_argument if there is none, and as log_density does.
Calibration calibrate(const Flow& flow, const arma::mat& rows, const Execution& execution = {});

/// P(log p(X) ≤ log_density) for a new row X, estimated from n calibration rows: (1 + number of them at or below)/(n +
/// 1). A conformal p-value: P(tail_probability ≤ α) ≤ α over new rows of the same distribution, and more than α − 1/(n
/// + 1) unless log densities are tied. It is at least 1/(n + 1).
double tail_probability(const Calibration& calibration, double log_density);
arma::vec tail_probability(const Calibration& calibration, const arma::vec& log_density);

/// A column's contribution to a row being improbable.
struct ColumnContribution {
  std::size_t column = 0;
  double value = 0.0;    ///< of the row
  double typical = 0.0;  ///< the most probable value that was tried, all other columns as they are
  double nats = 0.0;     ///< log p(row with the typical value) − log p(row), ≥ 0
};

/// The contributions of all columns to each of the rows, largest first. Since log p(x) = log p(x_d | others) +
/// log p(others), nats compares x_d with the most probable value given the other columns. Tried are 64 quantiles of the
/// column in 4096 draws from the flow, so nats is a lower bound of what any value gains, and 0 if none of them gains.
/// Costs 64·D densities a row. Throws as log_density does.
std::vector<std::vector<ColumnContribution>> explain_rows(const Flow& flow, const arma::mat& rows, Seed seed,
                                                          const Execution& execution = {});

}  // namespace gaussianize
#pragma GCC visibility pop
