#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/info/detail/scores.hpp"

/// The copula of independent sources behind increasing maps, and a test of whether it fits better.
namespace gaussianize::detail {

/// The copula of a linear mixture of independent sources: e = (x − mean)·W, columns seen through unknown increasing
/// maps. For any such maps and W,
///
///   I(x) ≥ Σ_d h(x_d) − Σ_k h(e_k) + log |det W|,                                                     (C2)
///
/// with equality if the e_k are independent.
struct IcaCopula {
  arma::mat unmixing;    ///< W
  arma::mat sources;     ///< e
  arma::vec log_copula;  ///< the rows' terms of (C2), with `blur` added
  double blur = 0.0;     ///< nats by which ranks had raised the entropies of sources with edges, according to the model
  arma::mat scale;       ///< N×D: the value of each rank under the map of column d; empty after one round
  arma::mat scale_entropy;  ///< N×D: the terms of h(x_d) that belong to them
};

/// Finds maps and W in turn. W by FastICA and then by likelihood; then, because independent sources determine every
/// column's distribution, each source is shuffled, the shuffled ones are mixed, and column d takes the quantiles of
/// that mixture by its ranks. `rounds` of that, starting from normal columns.
IcaCopula fit_ica_copula(const Scores& scores, std::size_t rounds, const MeasureOptions& options);

/// Improves an unmixing matrix W of centred x by likelihood: Newton steps on Σ_k h(x·w_k) − log |det W| with the
/// Hessian that independent sources have [Pham & Garat 1997] and the sources' own score functions, from kernel
/// estimates. A step that does not lower the sum is halved, then given up. FastICA's fixed contrast is far from
/// efficient for sources with edges; this is not. O(N·D²) a step.
arma::mat refine_unmixing(const arma::mat& x, const arma::mat& start, int max_steps, int threads);

/// Whether independent sources (IcaCopula) that were found on one half of the rows (of 20,000 at most) explain the
/// other half better than `base`, the rows' log copula, by `standard_errors` of the rows' differences. First with
/// columns on the scale of their normal scores; if `rounds` > 1, then also on the scale that so many rounds find.
bool sources_explain_more(const Scores& scores, const arma::vec& base, std::size_t rounds, double standard_errors,
                          const MeasureOptions& options);

}  // namespace gaussianize::detail
