#pragma once

#include <armadillo>

#include "gaussianize/rotation/householder.hpp"

namespace gaussianize::detail {

/// How an evaluator multiplies: by the D×D product, or by its factors (compact WY), which is cheaper for M ≪ D.
enum class HouseholderForm { cheapest, dense, factored };

/// What a step of training needs of a rotation, made once a step; read by any number of threads.
struct HouseholderEvaluator {
  using Parameters = Householder;
  HouseholderForm form = HouseholderForm::dense;  ///< dense or factored
  arma::mat u;                                    ///< D×M: v_i/‖v_i‖
  arma::mat w;                  ///< D×M: w_i = 2 H_M ⋯ H_{i+1} u_i, so that Q = I − u·wᵀ      (H3)
  arma::rowvec inverse_length;  ///< 1×M: 1/‖v_i‖
  arma::mat q;                  ///< D×D; empty in the factored form
};

/// O(D²M + DM²) in the dense form, O(DM²) in the factored. Throws as check does.
HouseholderEvaluator make_evaluator(const Householder& rotation, HouseholderForm form = HouseholderForm::cheapest);

/// Work space of an evaluator's functions, one per thread. It grows to what is needed and then stays.
struct RotationScratch {
  arma::mat yw, y_bar_w;   ///< N×M
  arma::mat in, bar, out;  ///< one patch's columns, for PatchRotation
};

/// y = x·Q for a block of rows; x and y are different matrices. By one GEMM of 2D² operations a row, or two of 2DM.
/// Like the functions below it allocates nothing once y and the scratch have their size, gives y the shape of x, and
/// does not check shapes.
void forward(const HouseholderEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch);

/// x = y·Qᵀ.
void inverse(const HouseholderEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch);

/// Sets `sums` to zeros of the size of what backward gathers: D×D in the dense form, D×M in the factored.
void reset_gradient_sums(const HouseholderEvaluator& rotation, arma::mat& sums);

/// The pull-back of one block, from the rotation's *output* y (not its input, which need not be kept) and y_bar. Sets
/// x_bar = y_bar·Qᵀ and adds to `sums` yᵀȳ, or yᵀ(ȳw) − ȳᵀ(yw) in the factored form: all that ∂L/∂v needs of the rows.
/// (H4), (H6). The sums of several blocks are added entry by entry, in an order that is the caller's.
void backward(const HouseholderEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& sums, RotationScratch& scratch);

/// Adds ∂L/∂v to `gradient`, D×M, from the sums over all rows, once a step; (H5). O(D²M + DM²), or O(DM²). Each column
/// of ∂L/∂v is orthogonal to its v_i. Throws std::invalid_argument unless the gradient has the rotation's shape.
void add_gradient(const HouseholderEvaluator& rotation, const arma::mat& sums, Householder& gradient);

/// The same for vectors that are not a Householder's own: adds to the D×M `v_bar`.
void add_vector_gradients(const HouseholderEvaluator& rotation, const arma::mat& sums, arma::mat& v_bar);

}  // namespace gaussianize::detail
