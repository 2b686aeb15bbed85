#include "gaussianize/flow/gaussian.hpp"

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/rotation/pca.hpp"

namespace gaussianize {
using namespace detail;

Layer fit_whitening(const arma::mat& x, int threads) {
  constexpr double min_spread = 1e-6;
  Rotation axes = Orthogonal{pca_rotation(x, threads)};
  const arma::mat y = forward(axes, x, threads);
  const arma::rowvec spread = arma::stddev(y, 1);
  return {std::move(axes), AffineMarginal{arma::mean(y), arma::clamp(spread, min_spread * spread.max(), spread.max())}};
}

Flow fit_gaussian(const arma::mat& x, int threads) {
  require(x.n_rows >= 2 && x.n_cols >= 1, "fit_gaussian: ", x.n_rows, " × ", x.n_cols,
          " data; at least 2 rows and 1 column are needed");
  require_finite(x, "fit_gaussian");
  Flow flow{x.n_cols, {{Identity{}, fit_affine(x)}}};
  arma::mat y = x;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  forward(flow.layers[0], y, log_det, threads);
  flow.layers.push_back(fit_whitening(y, threads));
  return flow;
}

}  // namespace gaussianize
