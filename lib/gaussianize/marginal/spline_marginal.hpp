#pragma once

#include <vector>

#include <armadillo>

#include "gaussianize/marginal/monotone_spline.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// One increasing spline per dimension.
struct SplineMarginal {
  std::vector<MonotoneSpline> columns;
};

/// Throws std::invalid_argument, naming the column, unless there are columns and each passes check.
void check(const SplineMarginal& marginal);

/// Maps the columns of x in place and adds each row's Σ log dz/dx to log_det. Does not check the splines.
void forward(const SplineMarginal& marginal, arma::mat& x, arma::vec& log_det);

/// The inverse of forward, in place.
void inverse(const SplineMarginal& marginal, arma::mat& z);

}  // namespace gaussianize
#pragma GCC visibility pop
