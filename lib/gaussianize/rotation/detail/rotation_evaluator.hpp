#pragma once

#include <variant>

#include <armadillo>

#include "gaussianize/rotation/detail/householder_evaluator.hpp"
#include "gaussianize/rotation/detail/patch_evaluator.hpp"
#include "gaussianize/rotation/rotation.hpp"

namespace gaussianize::detail {

struct IdentityEvaluator {
  using Parameters = Identity;
};

/// Refers to the rotation it was made from, which must outlive it.
struct OrthogonalEvaluator {
  using Parameters = Orthogonal;
  const arma::mat* q;
};

/// A rotation with all that does not depend on the rows computed once, for loops over blocks of rows.
using RotationEvaluator = std::variant<IdentityEvaluator, OrthogonalEvaluator, HouseholderEvaluator, PatchEvaluator>;

/// Throws as check does for a Householder or a patch rotation; a matrix is taken as it is.
RotationEvaluator make_evaluator(const Rotation& rotation);

/// The functions of householder_evaluator.hpp for any rotation; one without parameters has no gradient sums.
void forward(const RotationEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch);
void inverse(const RotationEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch);
void reset_gradient_sums(const RotationEvaluator& rotation, arma::mat& sums);
void backward(const RotationEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& sums, RotationScratch& scratch);

/// `gradient` holds the kind of rotation that the evaluator was made from.
void add_gradient(const RotationEvaluator& rotation, const arma::mat& sums, Rotation& gradient);

/// x ← x·Q, and x ← x·Qᵀ, with `work` of x's size. The identity touches nothing.
void forward_in_place(const RotationEvaluator& rotation, arma::mat& x, arma::mat& work, RotationScratch& scratch);
void inverse_in_place(const RotationEvaluator& rotation, arma::mat& x, arma::mat& work, RotationScratch& scratch);

}  // namespace gaussianize::detail
