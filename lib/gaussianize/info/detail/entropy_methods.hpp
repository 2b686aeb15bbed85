#pragma once

#include <armadillo>

#include "gaussianize/info/detail/scores.hpp"

namespace gaussianize::detail {

/// The methods behind entropy_values: one value a row, in the original order.

/// Distances between rows r ranks to either side,
///
///   h_i(m) = log(x_(i+r) − x_(i−r)) − ψ(2r) + ψ(N + 1),   r = min(m, e_i/4) but at least 1,               (E1)
///
/// e_i the rank from the nearer end; a window that would leave the data is cut there, with 2r the ranks it spans. For
/// a uniform distribution every h_i is unbiased. Elsewhere the windows' curvature leaves a bias of order (m/N)² inside,
/// which the combination
///
///   H = (4 mean h(m) − mean h(2m))/3,   m = 0.6 N^{1/3},                                                   (E2)
///
/// cancels, and of order m/N at the ends, which the narrowing of windows there makes small. The values are h_i(2m),
/// moved so that their mean is H: their spread is that of −log p and of the noise that (E2) has.
arma::vec spacing_values(const SortedColumn& column);

/// log 2r_i − ψ(k) + ψ(N), r_i the distance to the k-th nearest other row, k = 4 [Kozachenko & Leonenko 1987].
arma::vec nearest_neighbour_values(const SortedColumn& column);

/// −log of the share of row i's bin over its width, with the Miller–Madow correction (K − 1)/(2N) nats for K occupied
/// bins. Bins are equal, 2·1.349·s·N^{−1/3} wide (Freedman and Diaconis's rule with the robust scale s).
arma::vec histogram_values(const SortedColumn& column);

/// −log f(x_i), row i left out of the kernel estimate f, whose bandwidth is the one of largest likelihood.
arma::vec kde_values(const SortedColumn& column);

}  // namespace gaussianize::detail
