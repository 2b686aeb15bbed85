#pragma once

#include <armadillo>

#include "gaussianize/info/measure.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// D_KL(p ‖ q) between the distributions of two samples with the same columns, in any units. Densities are normal or
/// Student-t, with RBIG for what those leave (automatic), normal with RBIG (rbig), normal alone (gaussian_copula), or
/// not estimated at all (nearest_neighbour). Standard error by a jackknife over twenty blocks of each sample. The
/// p-value, of p = q, permutes rows between them.
Measure divergence(const arma::mat& p, const arma::mat& q, const MeasureOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
