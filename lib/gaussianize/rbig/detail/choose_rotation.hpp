#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {

struct RotationChoice {
  arma::mat q;
  RotationKind kind = RotationKind::identity;
  bool converged = true;
};

/// The rotation for rotating layer number `index` (0 for the first that mixes columns) of data x. Depends on the seed,
/// the index and the data alone.
RotationChoice choose_rotation(const arma::mat& x, RotationKind kind, std::size_t index, Seed seed, int threads);

}  // namespace gaussianize::detail
