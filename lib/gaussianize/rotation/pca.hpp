#pragma once

#include <armadillo>

#pragma GCC visibility push(default)
namespace gaussianize {

/// The principal axes of x, in order of decreasing variance. Works for N < D, constant and repeated columns. O(N·D² +
/// D³). Columns may be of any scale: where their standard deviations differ by more than 10³, Jacobi's method (some ten
/// times the cost in D³) finds the axes to 1e-13 even at 1e150 beside 1e-150.
///
/// Orthogonal, max |QᵀQ − I| ≤ 30·D·ε, the same for any number of threads, and with each column's sign fixed: its entry
/// of largest modulus is positive. x is N×D, finite, with N ≥ 1 and D ≥ 1: std::invalid_argument states the shape
/// otherwise. A decomposition that fails is a NumericalError.
arma::mat pca_rotation(const arma::mat& x, int threads = 0);

}  // namespace gaussianize
#pragma GCC visibility pop
