#pragma once

#include <armadillo>

#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {

/// RBIG as `options` say, chosen by the validation rows: which map comes first, and RBIG or the Gaussian
/// (RbigOptions::search). Needs validation rows and the likelihood rule.
RbigFit search_rbig(const arma::mat& training, const arma::mat& validation, const RbigOptions& options);

/// RBIG as `options` say, without choosing.
RbigFit fit_one_rbig(const arma::mat& training, const arma::mat& validation, const RbigOptions& options);

}  // namespace gaussianize::detail
