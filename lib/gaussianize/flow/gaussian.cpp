#include "gaussianize/flow/gaussian.hpp"

#include "gaussianize/core/error.hpp"
#include "gaussianize/rotation/find.hpp"

namespace gaussianize {

Flow fit_gaussian(const arma::mat& x, int threads) {
  require(x.n_rows >= 2 && x.n_cols >= 1, "fit_gaussian: ", x.n_rows, " × ", x.n_cols,
          " data; at least 2 rows and 1 column are needed");
  require_finite(x, "fit_gaussian");
  constexpr double least_spread = 1e-6;
  Flow flow{x.n_cols, {{Identity{}, fit_affine(x)}}};
  arma::mat y = x;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  apply_to_rows(flow.layers[0], y, log_det, threads);
  const Rotation axes = Orthogonal{pca_rotation(y, threads)};
  rotate_rows(axes, y, threads);
  const arma::rowvec spread = arma::stddev(y, 1);
  flow.layers.push_back(
      {axes, AffineMarginal{arma::mean(y), arma::clamp(spread, least_spread * spread.max(), spread.max())}});
  return flow;
}

}  // namespace gaussianize
