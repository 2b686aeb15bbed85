#pragma once

#include <cstddef>
#include <string_view>

#include <armadillo>

#include "gaussianize/core/random.hpp"

namespace gaussianize {

/// How the rotation of each layer is found.
enum class RotationKind {
  identity,   ///< none: only the columns' own laws are fitted
  random,     ///< uniform over the orthogonal group
  pca,        ///< principal axes: best while columns are correlated, blind once the data are white
  ica,        ///< PCA once, then FastICA, its contrast changing from layer to layer
  sliced,     ///< PCA once, then the directions farthest from normal in Wasserstein distance
  automatic,  ///< whichever of pca, ica and sliced shows the largest J_m
};

struct RotationChoice {
  arma::mat q;
  RotationKind kind = RotationKind::identity;
  bool converged = true;
};

/// The rotation for rotating layer number `index` (0 for the first that mixes columns) of data x. Depends on the seed,
/// the index and the data alone.
RotationChoice choose_rotation(const arma::mat& x, RotationKind kind, std::size_t index, Seed seed, int threads);

std::string_view name(RotationKind kind);

}  // namespace gaussianize
