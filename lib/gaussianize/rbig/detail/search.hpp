#pragma once

#include <armadillo>

#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {

/// RBIG with a choice by validation loss between the first maps, and between RBIG and the Gaussian
/// (RbigOptions::search). Requires validation rows and the likelihood rule.
RbigFit search_rbig(const arma::mat& training, const arma::mat& validation, const RbigOptions& options);

/// RBIG without that choice.
RbigFit fit_one_rbig(const arma::mat& training, const arma::mat& validation, const RbigOptions& options);

}  // namespace gaussianize::detail
