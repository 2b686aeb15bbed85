#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/info/detail/scores.hpp"

namespace gaussianize::detail {

/// The distance, in the largest coordinate, from every row of x to the k-th nearest other row, by a k-d tree: O(N log
/// N) for a few columns, towards O(N²) for ten and more. Requires 1 ≤ k < N.
arma::vec neighbour_distances(const arma::mat& x, std::size_t k, int threads);

/// The same from every row of `from` to the k-th nearest row of x. Requires 1 ≤ k ≤ N.
arma::vec neighbour_distances(const arma::mat& x, const arma::mat& from, std::size_t k, int threads);

/// The rows' terms of the total correlation by nearest neighbours [Kraskov, Stögbauer & Grassberger 2004, (27)],
///
///   ψ(k) + (D − 1) ψ(N) − Σ_d ψ(n_d + 1),                                                           (N1)
///
/// n_d the rows within the distance of the k-th neighbour in column d alone. Without ties, that is: values on a grid
/// look closer than they were before rounding, and the sum comes out too high.
arma::vec neighbour_information(const Scores& scores, std::size_t k, int threads);

/// The rows' terms of I(X; Y) between two groups of columns, likewise [(8)]:
///
///   ψ(k) + ψ(N) − ψ(n_x + 1) − ψ(n_y + 1),                                                          (N2)
///
/// n_x the rows within the distance of the k-th neighbour in all columns of X. It needs no density, so a group may lie
/// on a curve.
arma::vec neighbour_information(const Scores& x, const Scores& y, std::size_t k, int threads);

}  // namespace gaussianize::detail
