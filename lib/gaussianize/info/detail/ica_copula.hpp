#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/info/detail/scores.hpp"

/// What the measures share; not part of the library's interface.
namespace gaussianize::detail {

/// The copula of a linear mixture of independent sources: e = (x − mean)·W, columns seen through unknown increasing
/// maps. For any such maps and W,
///
///   I(x) ≥ Σ_d h(x_d) − Σ_k h(e_k) + log |det W|,                                                     (C2)
///
/// with equality if the e_k are independent.
struct IcaCopula {
  arma::mat unmixing;       ///< W
  arma::mat sources;        ///< e
  arma::vec log_copula;     ///< the rows' terms of (C2), with `blur` added
  double blur = 0.0;        ///< nats by which ranks had raised the entropies of sources with edges, as the model has it
  arma::mat scale;          ///< N×D: what the map of column d makes of each rank; empty after one round
  arma::mat scale_entropy;  ///< N×D: the terms of h(x_d) that belong to them
};

/// Finds maps and W in turn. W by FastICA and then by likelihood; then, because independent sources determine every
/// column's law, each source is shuffled, the shuffled ones are mixed, and column d takes the quantiles of that mixture
/// by its ranks. `rounds` of that, starting from normal columns.
IcaCopula fit_ica_copula(const Scores& scores, std::size_t rounds, const MeasureOptions& options);

}  // namespace gaussianize::detail
