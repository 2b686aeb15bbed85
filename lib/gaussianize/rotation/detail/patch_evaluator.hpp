#pragma once

#include <vector>

#include <armadillo>

#include "gaussianize/rotation/detail/householder_evaluator.hpp"
#include "gaussianize/rotation/patch.hpp"

namespace gaussianize::detail {

/// What a step of training needs of a patch rotation, made once a step; read by any number of threads.
struct PatchEvaluator {
  using Parameters = PatchRotation;
  arma::umat source;  ///< p²×k²: entry (i, t) is the column of X that pixel i of patch t comes from
  arma::umat target;  ///< p²×k²: the column of Y that it goes to
  std::vector<HouseholderEvaluator> patches;
};

/// Throws as check does.
PatchEvaluator make_evaluator(const PatchRotation& rotation, HouseholderForm form = HouseholderForm::cheapest);

/// Like their namesakes for a HouseholderEvaluator, and with the same conditions. The sums are those of every patch,
/// side by side: p²×(k²·p²), or p²×(k²·M) in the factored form.
void forward(const PatchEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch);
void inverse(const PatchEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch);
void reset_gradient_sums(const PatchEvaluator& rotation, arma::mat& sums);
void backward(const PatchEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& sums, RotationScratch& scratch);
void add_gradient(const PatchEvaluator& rotation, const arma::mat& sums, PatchRotation& gradient);

}  // namespace gaussianize::detail
