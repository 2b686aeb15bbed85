#pragma once

#include <variant>

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/marginal/detail/mixture_evaluator.hpp"
#include "gaussianize/marginal/detail/mixture_inverse.hpp"
#include "gaussianize/rotation/detail/rotation_evaluator.hpp"

namespace gaussianize::detail {

/// A mixture, and where its inverse starts if it will be used backwards.
struct MixtureMapEvaluator {
  MixtureEvaluator mixture;
  MixtureInverse inverse;
};

/// A marginal with all that does not depend on the rows computed once, for loops over blocks of rows; a pointer where
/// there is no such thing.
using MarginalEvaluator =
    std::variant<const AffineMarginal*, const SplineMarginal*, MixtureMapEvaluator, const LogisticToNormal*>;

/// Refers to the layer it was made from, which must outlive it.
struct LayerEvaluator {
  RotationEvaluator rotation;
  MarginalEvaluator marginal;
};

/// Which way an evaluator will be used.
enum class Direction { forward, inverse };

/// The marginal must pass check_sizes().
LayerEvaluator make_evaluator(const Layer& layer, Direction direction);

/// Work space, one per thread; grows to what is needed and then stays.
struct LayerScratch {
  RotationScratch rotation;
  arma::mat block, log_dzdx;
};

/// In place on a block of rows; forward adds each row's log |det| to log_det.
void forward(const LayerEvaluator& layer, arma::mat& x, arma::vec& log_det, LayerScratch& scratch);
void inverse(const LayerEvaluator& layer, arma::mat& z, LayerScratch& scratch);

}  // namespace gaussianize::detail
