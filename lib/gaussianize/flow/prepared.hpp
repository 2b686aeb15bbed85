#pragma once

#include <variant>

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/marginal/prepared_mixture.hpp"

namespace gaussianize {

/// A layer with all that does not depend on the rows computed once, for loops over blocks of rows. Holds pointers into
/// the layer it was made from, which must outlive it.
using PreparedRotation = std::variant<Identity, const Orthogonal*, PreparedHouseholder, PreparedPatchRotation>;

/// A mixture, and where its inverse starts if it was prepared for that.
struct PreparedMixtureMap {
  PreparedMixture mixture;
  MixtureInverse inverse;
};
using PreparedMarginal =
    std::variant<const AffineMarginal*, const TabulatedMarginal*, PreparedMixtureMap, LogisticToNormal>;

struct PreparedLayer {
  PreparedRotation rotation;
  PreparedMarginal marginal;
};

/// Which way a prepared layer will be used.
enum class Direction { forward, inverse };

PreparedRotation prepare(const Rotation& rotation);
PreparedLayer prepare(const Layer& layer, Direction direction);

/// Work space, one per thread; grows to what is needed and then stays.
struct LayerScratch {
  RotationScratch rotation;
  arma::mat block, log_dzdx;
};

/// In place on a block of rows; apply adds each row's log |det| to log_det.
void rotate(const PreparedRotation& rotation, arma::mat& x, LayerScratch& scratch);
void rotate_back(const PreparedRotation& rotation, arma::mat& x, LayerScratch& scratch);
void apply(const PreparedLayer& layer, arma::mat& x, arma::vec& log_det, LayerScratch& scratch);
void apply_inverse(const PreparedLayer& layer, arma::mat& z, LayerScratch& scratch);

}  // namespace gaussianize
