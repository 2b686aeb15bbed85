#pragma once

#include <armadillo>

#include "gaussianize/rotation/detail/patch_evaluator.hpp"

/// The gradient of a trainable rotation for all rows at once, as training computes it block by block.
namespace gaussianize::testing {

/// The pull-back of y = x·Q: returns ∂L/∂x for y_bar = ∂L/∂y, both N×D, and adds ∂L/∂v to `grad`.
template <class Rotation>
arma::mat backward(const Rotation& rotation, const arma::mat& x, const arma::mat& y_bar, Rotation& grad,
                   detail::HouseholderForm form = detail::HouseholderForm::cheapest) {
  const auto evaluator = detail::make_evaluator(rotation, form);
  arma::mat y, x_bar, sums;
  detail::RotationScratch scratch;
  detail::reset_gradient_sums(evaluator, sums);
  detail::forward(evaluator, x, y, scratch);
  detail::backward(evaluator, y, y_bar, x_bar, sums, scratch);
  detail::add_gradient(evaluator, sums, grad);
  return x_bar;
}

}  // namespace gaussianize::testing
