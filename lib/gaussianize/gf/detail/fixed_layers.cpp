#include "gaussianize/gf/detail/fixed_layers.hpp"

#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/marginal/detail/power_transform.hpp"
#include "gaussianize/marginal/detail/round_to_grid.hpp"

namespace gaussianize::detail {

Flow fit_fixed_layers(const arma::mat& x, const GfOptions& options) {
  // Of a straight line, so that no gap in the rows is a gap in the map.
  constexpr double shrinkage = 1e-3;
  Flow flow{x.n_cols, {}};
  arma::mat rows = x;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  const auto append = [&](Layer layer) {
    forward(layer, rows, log_det, options.threads);
    flow.layers.push_back(std::move(layer));
  };
  const AffineMarginal standardise = fit_affine(x);
  append({Identity{}, standardise});
  if (options.marginal_layer) {
    const arma::rowvec zero = -standardise.shift / standardise.scale;
    append({Identity{}, fit_power_kde(rows, zero, shrinkage,
                                      {.bandwidth = BandwidthRule::likelihood, .threads = options.threads})});
  }
  if (options.whitening_layer && x.n_cols > 1)
    append(fit_whitening(round_to_grid(rows, options.threads), options.threads));
  return flow;
}

}  // namespace gaussianize::detail
