#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/execution.hpp"
#include "gaussianize/flow/flow.hpp"

namespace gaussianize {
using namespace detail;

/// How much one column contributes to a row being unlikely.
struct Contribution {
  std::size_t column = 0;
  double value = 0.0;    ///< of the row
  double typical = 0.0;  ///< the likeliest value tried, all other columns as they are
  double nats = 0.0;     ///< log p(row with the typical value) − log p(row), ≥ 0
};

/// The contributions of all columns to each of the rows, largest first. log p(x) = log p(x_d | the others) + log p(the
/// others), so nats is how much less likely x_d is, given the other columns, than the likeliest of the values tried:
/// what changing that column alone can gain. Tried are 64 quantiles of the column in 4096 draws of the model itself,
/// so nats is at most what any value could gain, and 0 if none of them is better. Costs 64·D densities a row.
std::vector<std::vector<Contribution>> explain(const Flow& flow, const arma::mat& rows, Seed seed,
                                               const Execution& execution);

}  // namespace gaussianize
