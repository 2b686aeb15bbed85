#pragma once

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/gf/options.hpp"

namespace gaussianize::detail {

/// What stands in front of the trained layers: the standardisation of every column of x (N×D), with marginal_layer a
/// kernel map of each, with whitening_layer the whitening of what these give. A density by itself: with both, a
/// Gaussian copula; with the last alone, the Gaussian. Throws DataError for a constant column.
Flow fit_fixed_layers(const arma::mat& x, const GfOptions& options);

}  // namespace gaussianize::detail
