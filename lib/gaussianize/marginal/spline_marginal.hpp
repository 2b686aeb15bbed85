#pragma once

#include <vector>

#include <armadillo>

#include "gaussianize/marginal/monotone_spline.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// One tabulated increasing map per dimension.
struct SplineMarginal {
  std::vector<MonotoneSpline> columns;
};

/// Maps the columns of x in place and adds each row's Σ log dz/dx to log_det.
void apply(const SplineMarginal& marginal, arma::mat& x, arma::vec& log_det);

/// Undoes apply, in place.
void apply_inverse(const SplineMarginal& marginal, arma::mat& z);

}  // namespace gaussianize
#pragma GCC visibility pop
