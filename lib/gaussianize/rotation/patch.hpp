#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/rotation/householder.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Trainable rotation of L×L images [Meng 2020, §3.2.2 and the appendix on patches], pixel (r, c) being column r·L + c
/// of X. The image is shifted circularly, to the right or downwards, and cut into k×k patches of p×p pixels, L = p·k;
/// every patch is rotated by a Householder product of its own and put where it was cut out:
///
///   Q = S · P · diag(Q_0, …, Q_{k²−1}) · Pᵀ,                                           (P1)
///
/// with S the permutation that shifts and P the one that cuts. The shift is not undone: the output is an image too,
/// shifted against the input, so that shifts of successive layers add up and the grid of patches comes to lie anywhere.
/// Patches are numbered row by row, and so are the pixels in each. Slice t of the p²×M×k² cube holds the vectors of
/// Q_t, (H1).
struct PatchRotation {
  std::size_t side = 0;   ///< L
  std::size_t patch = 0;  ///< p, a divisor of L
  std::size_t shift = 0;  ///< below L
  bool vertical = false;  ///< whether the shift is downwards, not to the right
  arma::cube v;
};

/// L². Everything below but this throws std::invalid_argument unless the sizes agree as said above.
std::size_t dimension(const PatchRotation& rotation);

/// The D×D matrix, with max |QᵀQ − I| ≤ 30·D·ε; mostly zeros. O(D² + D·p²·M).
arma::mat matrix(const PatchRotation& rotation);

/// X·Q, and X·Qᵀ, which undoes it. O(N·D·p²).
arma::mat rotate(const PatchRotation& rotation, const arma::mat& x);
arma::mat rotate_back(const PatchRotation& rotation, const arma::mat& x);

/// The pull-back of y = rotate(rotation, x), as for a Householder: returns ∂L/∂x and adds ∂L/∂v to `grad`, of which
/// only the cube is touched.
arma::mat backward(const PatchRotation& rotation, const arma::mat& x, const arma::mat& y_bar, PatchRotation& grad);

/// Isotropic normal vectors, a shift uniform on 0 … L − 1 and a coin for its direction, in this order of the stream.
PatchRotation random_patch_rotation(std::size_t side, std::size_t patch, std::size_t reflections, RandomStream& stream);

/// What a step of training needs, made once a step; read by any number of threads.
struct PatchEvaluator {
  arma::umat source;  ///< p²×k²: entry (i, t) is the column of X that pixel i of patch t comes from
  arma::umat target;  ///< p²×k²: the column of Y that it goes to
  std::vector<HouseholderEvaluator> patches;
};
PatchEvaluator prepare(const PatchRotation& rotation, HouseholderForm form = HouseholderForm::cheapest);

/// Like their namesakes for a HouseholderEvaluator, and with the same conditions. The statistic is that of every patch,
/// side by side: p²×(k²·p²), or p²×(k²·M) in the factored form.
void apply(const PatchEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch);
void apply_back(const PatchEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch);
arma::mat zero_gradient_sums(const PatchEvaluator& rotation);
void backward(const PatchEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& gradient_sums, RotationScratch& scratch);
void add_gradient(const PatchEvaluator& rotation, const arma::mat& gradient_sums, PatchRotation& grad);

}  // namespace gaussianize
#pragma GCC visibility pop
