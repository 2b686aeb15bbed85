#pragma once

#include <armadillo>

#include "gaussianize/info/measure.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// J = I + J_m for the columns of x, each standardised to mean 0 and variance 1, so that J = D_KL(p ‖ N(0, I)) is the
/// distance of their distribution from independent normal columns. The three are estimated apart: J from models of the
/// joint density, I from ranks, J_m from each column's entropy.
struct KlDecomposition {
  Measure joint;        ///< J
  Measure dependence;   ///< I
  Measure marginal;     ///< J_m
  Measure discrepancy;  ///< J − (I + J_m): 0 but for error; its standard error is that of the rows' differences
};

KlDecomposition decompose(const arma::mat& x, const MeasureOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
