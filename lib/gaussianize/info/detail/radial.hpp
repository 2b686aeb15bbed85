#pragma once

#include <armadillo>

/// What the measures share; not part of the library's interface.
namespace gaussianize::detail {

/// Stretches each row of y, spherical t with ν degrees of freedom, so that it becomes N(0, I): |y|²/D ~ F(D, ν) is
/// mapped to the χ²_D quantile of the same probability. Rows at the origin stay. Right to 1e-5 of the length. O(N).
void gaussianize_lengths(arma::mat& y, double degrees);

}  // namespace gaussianize::detail
