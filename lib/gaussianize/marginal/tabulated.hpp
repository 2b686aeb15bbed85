#pragma once

#include <vector>

#include <armadillo>

#include "gaussianize/marginal/table.hpp"

namespace gaussianize {

/// One tabulated increasing map per dimension.
struct TabulatedMarginal {
  std::vector<MonotoneTable> columns;
};

/// Maps the columns of x in place and adds each row's Σ log dz/dx to log_det.
void apply(const TabulatedMarginal& marginal, arma::mat& x, arma::vec& log_det);

/// Undoes apply, in place.
void apply_inverse(const TabulatedMarginal& marginal, arma::mat& z);

}  // namespace gaussianize
