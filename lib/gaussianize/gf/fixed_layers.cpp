#include "gaussianize/gf/fixed_layers.hpp"

#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/marginal/coarse.hpp"
#include "gaussianize/marginal/ladder.hpp"

namespace gaussianize {

Flow fit_fixed_layers(const arma::mat& x, const GfOptions& options) {
  // Of a straight line, so that no gap in the rows is a gap in the map.
  constexpr double blend = 1e-3;
  Flow flow{x.n_cols, {}};
  arma::mat rows = x;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  const auto append = [&](Layer layer) {
    apply_to_rows(layer, rows, log_det, options.threads);
    flow.layers.push_back(std::move(layer));
  };
  const AffineMarginal standardise = fit_affine(x);
  append({Identity{}, standardise});
  if (options.kde_front) {
    const arma::rowvec zero = -standardise.shift / standardise.scale;
    append({Identity{}, fit_ladder_kde(rows, zero, blend,
                                       {.bandwidth = BandwidthRule::likelihood, .threads = options.threads})});
  }
  if (options.whiten_front && x.n_cols > 1)
    append(fit_whitening(coarse(rows, options.threads), options.threads));
  return flow;
}

}  // namespace gaussianize
