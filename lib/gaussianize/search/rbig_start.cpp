#include "gaussianize/search/rbig_start.hpp"

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/gf/detail/initialise.hpp"
#include "gaussianize/gf/detail/resolve_options.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize {
using namespace detail;

GfParameters rbig_start(const arma::mat& x, const arma::mat& validation, const GfOptions& options) {
  const GfOptions o = resolve(options, x.n_rows, x.n_cols);
  check_options(o, x.n_cols);
  require(o.rotations == RotationLayout::householder && o.marginals_per_rotation == 1 && !o.marginal_layer,
          "rbig_start: RBIG has one marginal layer after each full rotation and no fixed one; leave rotations and "
          "marginals_per_rotation at their defaults and set marginal_layer to false");
  RbigOptions rbig{.search = false, .report_rows = 0, .seed = o.seed, .threads = o.threads};
  rbig.first_map = o.rotate_first ? FirstMap::whitening : FirstMap::columns;
  rbig.patience = 10;
  rbig.max_layers = o.layers;
  if (validation.n_rows == 0) rbig.stop = StoppingRule::fixed;
  // A start has few layers, and training undoes what they overfit: no need for small steps.
  rbig.step_fraction = 1;
  const RbigFit fit = fit_rbig(x, validation, rbig);
  // The first layer standardises, as fit_gf does itself.
  return from_rbig({fit.flow.layers.begin() + 1, fit.flow.layers.end()}, o);
}

}  // namespace gaussianize
