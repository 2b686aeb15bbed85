#pragma once

#include <armadillo>

#include "gaussianize/info/measure.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// J = I + J_m for the columns of x, each standardised to mean 0 and variance 1, so that J = D_KL(p ‖ N(0, I)) is the
/// distance of their distribution from independent normal columns. I comes from ranks, J_m from each column's entropy,
/// and J is their sum, row by row. What the ranks' model does not see is missing from I and J alike: both are lower
/// bounds where there is more than one column. Models of the density may know more: kl_account.
struct KlDecomposition {
  Measure joint;       ///< J
  Measure dependence;  ///< I, with the p-value of independent columns
  Measure marginal;    ///< J_m
};

KlDecomposition decompose(const arma::mat& x, const MeasureOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
