#pragma once

#include <armadillo>

#pragma GCC visibility push(default)
namespace gaussianize {

/// Standardises every column: z = (x − shift)/scale, log dz/dx = −log scale.
struct AffineMarginal {
  arma::rowvec shift;
  arma::rowvec scale;  ///< positive
};

/// Mean and standard deviation (divisor N) of every column, computed so that values near the largest double do not
/// overflow. Throws DataError, naming the column, if one is constant or holds a value that is not finite; needs 2 rows.
AffineMarginal fit_affine(const arma::mat& x);

/// Throws std::invalid_argument unless shift and scale have one finite number per column and scales are positive.
void check(const AffineMarginal& marginal);

/// Maps the columns of x in place and adds each row's Σ log dz/dx to log_det.
void forward(const AffineMarginal& marginal, arma::mat& x, arma::vec& log_det);

/// The inverse of forward, in place.
void inverse(const AffineMarginal& marginal, arma::mat& z);

}  // namespace gaussianize
#pragma GCC visibility pop
