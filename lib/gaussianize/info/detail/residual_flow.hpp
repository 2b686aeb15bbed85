#pragma once

#include <optional>

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {

/// RBIG for rows that should be nearly N(0, I): small steps along sliced directions, stopped by a fifth of the rows.
RbigOptions residual_rbig(const MeasureOptions& options);

/// RBIG fitted to each half of rows that should be N(0, I).
struct ResidualFlow {
  Flow flows[2];
  arma::vec log_ratio;  ///< log p(z)/φ(z) of every row: the mean of both flows, one of which has seen the row
  double held_out = 0;  ///< its mean under the flow of the other half alone: the gain in log likelihood of new rows
};

/// Empty if nothing worth modelling is left in z: that is, unless the least normal directions of one half (FastICA's
/// and the sliced ones) are non-normal in the other by three standard errors, and both flows then raise the likelihood
/// of the half that they have not seen. A flow's gain is too high on its own rows by what it is too low on others, so
/// the mean of both is nearly unbiased. `unmodelled`, if given, becomes true where the directions are non-normal but no
/// flow improves on the normal distribution.
std::optional<ResidualFlow> fit_residual_flow(const arma::mat& z, const MeasureOptions& options,
                                              bool* unmodelled = nullptr);

/// Whether the least normal directions of one half of the rows (FastICA's and the sliced ones) look normal in the
/// other.
bool looks_normal(const arma::mat& z, const MeasureOptions& options);

/// log p(z)/φ(z) of other rows: the mean over both flows.
arma::vec log_ratio(const ResidualFlow& flow, const arma::mat& z, int threads);

}  // namespace gaussianize::detail
