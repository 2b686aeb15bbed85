#pragma once

#include <armadillo>

/// What the measures share; not part of the library's interface.
namespace gaussianize::detail {

/// Σ_k h(e_k) of every row, by spacings; e is N×K.
arma::vec entropy_sums(const arma::mat& e, int threads);

/// Improves an unmixing matrix W of centred x by likelihood: Newton steps on Σ_k h(x·w_k) − log |det W| with the
/// Hessian that independent sources have [Pham & Garat 1997] and the sources' own score functions, from kernel
/// estimates. A step that does not lower the sum is halved, then given up. FastICA's fixed contrast is far from
/// efficient for sources with edges; this is not. O(N·D²) a step.
arma::mat refine_unmixing(const arma::mat& x, const arma::mat& start, int max_steps, int threads);

}  // namespace gaussianize::detail
