#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Trainable rotation [Meng 2020, §3.2]: rows of X are mapped by X·Q, where
///
///   Q = H_1 H_2 ⋯ H_M,   H_i = I − 2 v_i v_iᵀ / v_iᵀv_i.                              (H1)
///
/// Column i of the D×M matrix v is v_i. Entries are unconstrained but for v_i ≠ 0; lengths do not matter, from 1e-300
/// to 1e300. M = 0 is the identity and M may exceed D. det Q = (−1)^M. Derivations: docs/gradients.md.
struct Householder {
  arma::mat v;
};

/// The number of columns that the rotation takes.
std::size_t dimension(const Householder& rotation);

/// Q, with max |QᵀQ − I| ≤ 30·D·ε. O(D²M + DM²). Throws std::invalid_argument if a vector is zero or not finite, as
/// does everything below that evaluates (H1).
arma::mat matrix(const Householder& rotation);

/// X·Q, and X·Qᵀ, which undoes it. Each prepares the rotation anew: to map many blocks use prepare and apply.
arma::mat rotate(const Householder& rotation, const arma::mat& x);
arma::mat rotate_back(const Householder& rotation, const arma::mat& x);

/// The pull-back of y = rotate(rotation, x): returns ∂L/∂x for y_bar = ∂L/∂y, both N×D, and adds ∂L/∂v to `grad`.
/// Each column of ∂L/∂v is orthogonal to its v_i. O(ND² + D²M) or O(NDM), by form.
arma::mat backward(const Householder& rotation, const arma::mat& x, const arma::mat& y_bar, Householder& grad);

/// M isotropic normal vectors: the paper's start. Requires dimension > 0. The stream alone decides it.
Householder random_householder(std::size_t dimension, std::size_t reflections, RandomStream& stream);

/// The vectors, all of length √D, whose product is a given orthogonal D×D matrix, within 1e-14·D in every entry: D of
/// them if det q = (−1)^D, else D − 1, for a product of M reflections has determinant (−1)^M. O(D³). Throws
/// std::invalid_argument unless q is orthogonal to 1e-8.
Householder to_householder(const arma::mat& q);

/// How a prepared rotation multiplies: by the D×D product, or by its factors (compact WY), which is cheaper for M ≪ D.
enum class HouseholderForm { cheapest, dense, factored };

/// What a step of training needs of a rotation, made once a step; read by any number of threads.
struct HouseholderEvaluator {
  HouseholderForm form = HouseholderForm::dense;  ///< dense or factored
  arma::mat u;                                    ///< D×M: v_i/‖v_i‖
  arma::mat w;                  ///< D×M: w_i = 2 H_M ⋯ H_{i+1} u_i, so that Q = I − u·wᵀ      (H3)
  arma::rowvec inverse_length;  ///< 1×M: 1/‖v_i‖
  arma::mat q;                  ///< D×D; empty in the factored form
};

/// O(D²M + DM²) in the dense form, O(DM²) in the factored.
HouseholderEvaluator prepare(const Householder& rotation, HouseholderForm form = HouseholderForm::cheapest);

/// Work space of the functions below, one per thread. It grows to what is needed and then stays.
struct RotationScratch {
  arma::mat yw, y_bar_w;   ///< N×M
  arma::mat in, bar, out;  ///< one patch's columns, for PatchRotation
};

/// y = x·Q for a block of rows; x and y are different matrices. By one GEMM of 2D² operations a row, or two of 2DM.
/// Like the two functions below: allocates nothing once y and the scratch have their size; y gets the shape of x; and
/// the shapes are the caller's duty, which prepare and zero_gradient_sums settle for a whole step.
void apply(const HouseholderEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch);

/// x = y·Qᵀ, which undoes apply.
void apply_back(const HouseholderEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch);

/// A zero of the size of what backward gathers: D×D in the dense form, D×M in the factored.
arma::mat zero_gradient_sums(const HouseholderEvaluator& rotation);

/// The pull-back of one block, from the rotation's *output* y (not its input, which need not be kept) and y_bar. Sets
/// x_bar = y_bar·Qᵀ and adds to `statistic` yᵀȳ, or yᵀ(ȳw) − ȳᵀ(yw) in the factored form: all that ∂L/∂v needs of the
/// rows. (H4), (H6). Statistics of several blocks are added entry by entry, in an order that is the caller's.
void backward(const HouseholderEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& gradient_sums, RotationScratch& scratch);

/// Adds ∂L/∂v to `grad`, D×M, from the statistic summed over all rows, once a step; (H5). O(D²M + DM²), or O(DM²).
void add_gradient(const HouseholderEvaluator& rotation, const arma::mat& gradient_sums, Householder& grad);

namespace detail {

/// finish for columns that are not a Householder's own: adds to the D×M `v_bar`.
void add_vector_gradients(const HouseholderEvaluator& rotation, const arma::mat& gradient_sums, arma::mat& v_bar);

}  // namespace detail

}  // namespace gaussianize
#pragma GCC visibility pop
