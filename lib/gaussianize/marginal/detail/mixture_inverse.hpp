#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/marginal/detail/mixture_evaluator.hpp"

namespace gaussianize::detail {

/// Knots of each dimension's x(z), from which the inverse starts, knots × D. They cost about 90 evaluations of (M1) a
/// dimension.
struct MixtureInverse {
  arma::mat x, z;  ///< both increase down each column, z about evenly
  arma::mat log_dzdx;
  arma::mat dxdz;
};

MixtureInverse make_inverse(const MixtureEvaluator& mixture);

/// The inverse of forward_block; x may be z. A row's result depends on nothing but the mixture and its own z.
void inverse_block(const MixtureEvaluator& mixture, const MixtureInverse& inverse, ConstBlock z, Block x,
                   std::size_t n);

}  // namespace gaussianize::detail
