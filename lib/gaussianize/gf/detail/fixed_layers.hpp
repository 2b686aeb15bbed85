#pragma once

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/gf/options.hpp"

namespace gaussianize::detail {

/// The fixed layers before the trained ones: every column of x (N×D) is standardised; with marginal_layer it goes
/// through a kernel map of its own; with whitening_layer the result is whitened. A density by itself: with both, a
/// Gaussian copula; with the last alone, the Gaussian. Throws DataError for a constant column.
Flow fit_fixed_layers(const arma::mat& x, const GfOptions& options);

}  // namespace gaussianize::detail
