#pragma once

#include <armadillo>

#include "gaussianize/flow/flow.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// The normal distribution of x's own mean and covariance (maximum likelihood), as a flow of two affine layers: the
/// baseline that any model of dependence beyond correlation has to beat. Axes whose spread is below 1e-6 of the
/// largest, as collinear columns and N < D make, are given that much. Throws DataError, naming the column, if one is
/// constant.
Flow fit_gaussian(const arma::mat& x, int threads = 0);

/// The second of those layers: the principal axes of x (N×D) and each one's standardisation. It makes correlated
/// columns white.
Layer fit_whitening(const arma::mat& x, int threads = 0);

}  // namespace gaussianize
#pragma GCC visibility pop
