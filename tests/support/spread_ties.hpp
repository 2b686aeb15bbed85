#pragma once

#include <algorithm>

#include <armadillo>

#include "gaussianize/core/random.hpp"

namespace gaussianize::testing {

/// Repeated values spread at random over the step that they were rounded to, half-way to their neighbours.
inline void spread_ties(arma::mat& x, Seed seed) {
  RandomStream stream(seed, Purpose::jitter);
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    const arma::vec values = arma::unique(x.col(d));
    if (values.n_elem < 2 || values.n_elem == x.n_rows) continue;
    for (double& value : x.col(d)) {
      const auto at = static_cast<arma::uword>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
      const double below = at > 0 ? value - values[at - 1] : values[1] - values[0];
      const double above = at + 1 < values.n_elem ? values[at + 1] - value : below;
      value += 0.5 * (stream.uniform() * (below + above) - below);
    }
  }
}

}  // namespace gaussianize::testing
