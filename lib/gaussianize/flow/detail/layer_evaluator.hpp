#pragma once

#include <variant>

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/marginal/detail/mixture_evaluator.hpp"

namespace gaussianize::detail {

/// A layer with all that does not depend on the rows computed once, for loops over blocks of rows. Holds pointers into
/// the layer it was made from, which must outlive it.
using RotationEvaluator = std::variant<Identity, const Orthogonal*, HouseholderEvaluator, PatchEvaluator>;

/// A mixture, and where its inverse starts if it was prepared for that.
struct MixtureMapEvaluator {
  MixtureEvaluator mixture;
  MixtureInverse inverse;
};
using MarginalEvaluator =
    std::variant<const AffineMarginal*, const SplineMarginal*, MixtureMapEvaluator, LogisticToNormal>;

struct LayerEvaluator {
  RotationEvaluator rotation;
  MarginalEvaluator marginal;
};

/// Which way a prepared layer will be used.
enum class Direction { forward, inverse };

RotationEvaluator prepare(const Rotation& rotation);
LayerEvaluator prepare(const Layer& layer, Direction direction);

/// Work space, one per thread; grows to what is needed and then stays.
struct LayerScratch {
  RotationScratch rotation;
  arma::mat block, log_dzdx;
};

/// In place on a block of rows; apply adds each row's log |det| to log_det.
void rotate(const RotationEvaluator& rotation, arma::mat& x, LayerScratch& scratch);
void rotate_back(const RotationEvaluator& rotation, arma::mat& x, LayerScratch& scratch);
void apply(const LayerEvaluator& layer, arma::mat& x, arma::vec& log_det, LayerScratch& scratch);
void apply_inverse(const LayerEvaluator& layer, arma::mat& z, LayerScratch& scratch);

}  // namespace gaussianize::detail
