#include "gaussianize/rotation/detail/patch_evaluator.hpp"

#include <algorithm>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/rotation/detail/check_sizes.hpp"

namespace gaussianize::detail {
namespace {

/// The columns of patches of pixels in an image that is shifted by (down, right) before it is cut.
arma::umat patch_columns(std::size_t side, std::size_t patch, std::size_t down, std::size_t right) {
  const std::size_t across = side / patch;
  arma::umat columns(patch * patch, across * across);
  for (std::size_t r = 0; r < side; ++r)
    for (std::size_t c = 0; c < side; ++c) {
      const std::size_t new_r = (r + down) % side, new_c = (c + right) % side;
      columns((new_r % patch) * patch + new_c % patch, (new_r / patch) * across + new_c / patch) = r * side + c;
    }
  return columns;
}

/// Copies the columns of one patch out of an image block, and back.
void take(const arma::mat& x, const arma::umat& columns, std::size_t t, arma::mat& part) {
  part.set_size(x.n_rows, columns.n_rows);
  for (arma::uword i = 0; i < columns.n_rows; ++i) {
    const double* from = x.colptr(columns(i, t));
    std::copy(from, from + x.n_rows, part.colptr(i));
  }
}
void put(const arma::mat& part, const arma::umat& columns, std::size_t t, arma::mat& x) {
  for (arma::uword i = 0; i < columns.n_rows; ++i)
    std::copy(part.colptr(i), part.colptr(i) + part.n_rows, x.colptr(columns(i, t)));
}

arma::uword sum_columns(const HouseholderEvaluator& patch) {
  return patch.form == HouseholderForm::dense ? patch.u.n_rows : patch.u.n_cols;
}

}  // namespace

PatchEvaluator make_evaluator(const PatchRotation& rotation, HouseholderForm form) {
  check_sizes(rotation);
  const auto& [side, patch, shift, vertical, v] = rotation;
  PatchEvaluator evaluator{
      patch_columns(side, patch, vertical ? shift : 0, vertical ? 0 : shift), patch_columns(side, patch, 0, 0), {}};
  evaluator.patches.reserve(v.n_slices);
  for (arma::uword t = 0; t < v.n_slices; ++t)
    evaluator.patches.push_back(make_evaluator(Householder{v.slice(t)}, form));
  return evaluator;
}

void forward(const PatchEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch) {
  y.set_size(x.n_rows, x.n_cols);
  for (std::size_t t = 0; t < rotation.patches.size(); ++t) {
    take(x, rotation.source, t, scratch.in);
    forward(rotation.patches[t], scratch.in, scratch.out, scratch);
    put(scratch.out, rotation.target, t, y);
  }
}

void inverse(const PatchEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch) {
  x.set_size(y.n_rows, y.n_cols);
  for (std::size_t t = 0; t < rotation.patches.size(); ++t) {
    take(y, rotation.target, t, scratch.in);
    inverse(rotation.patches[t], scratch.in, scratch.out, scratch);
    put(scratch.out, rotation.source, t, x);
  }
}

void reset_gradient_sums(const PatchEvaluator& rotation, arma::mat& sums) {
  const HouseholderEvaluator& first = rotation.patches.front();
  sums.zeros(first.u.n_rows, rotation.patches.size() * sum_columns(first));
}

void backward(const PatchEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& sums, RotationScratch& scratch) {
  x_bar.set_size(y.n_rows, y.n_cols);
  for (std::size_t t = 0; t < rotation.patches.size(); ++t) {
    take(y, rotation.target, t, scratch.in);
    take(y_bar, rotation.target, t, scratch.bar);
    const arma::uword count = sum_columns(rotation.patches[t]);
    arma::mat share(sums.memptr() + t * sums.n_rows * count, sums.n_rows, count, false, true);
    backward(rotation.patches[t], scratch.in, scratch.bar, scratch.out, share, scratch);
    put(scratch.out, rotation.source, t, x_bar);
  }
}

void add_gradient(const PatchEvaluator& rotation, const arma::mat& sums, PatchRotation& gradient) {
  const HouseholderEvaluator& first = rotation.patches.front();
  require(gradient.v.n_rows == first.u.n_rows && gradient.v.n_cols == first.u.n_cols &&
              gradient.v.n_slices == rotation.patches.size(),
          "add_gradient: the rotation's v is ", first.u.n_rows, "×", first.u.n_cols, "×", rotation.patches.size(),
          " and the gradient's ", gradient.v.n_rows, "×", gradient.v.n_cols, "×", gradient.v.n_slices,
          "; start the gradient as zeros of the rotation's shape");
  const arma::uword count = sum_columns(first);
  for (std::size_t t = 0; t < rotation.patches.size(); ++t) {
    const arma::mat share(sums.memptr() + t * sums.n_rows * count, sums.n_rows, count);
    add_vector_gradients(rotation.patches[t], share, gradient.v.slice(t));
  }
}

}  // namespace gaussianize::detail
