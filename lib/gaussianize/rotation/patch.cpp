#include "gaussianize/rotation/patch.hpp"

#include <algorithm>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/detail/whole_rotation.hpp"

namespace gaussianize {
using namespace detail;
namespace {

void require_sizes(const PatchRotation& rotation) {
  const auto& [side, patch, shift, vertical, v] = rotation;
  require(side > 0 && patch > 0 && side % patch == 0, "PatchRotation: patches of ", patch, "×", patch,
          " pixels do not tile an image of ", side, "×", side, "; choose a divisor of ", side);
  require(shift < side, "PatchRotation: a shift by ", shift, " of ", side, " pixels; it must be less than the side");
  const std::size_t across = side / patch;
  require(v.n_rows == patch * patch && v.n_slices == across * across, "PatchRotation: v is ", v.n_rows, "×", v.n_cols,
          "×", v.n_slices, "; it needs ", patch * patch, " rows, one a pixel, and ", across * across,
          " slices, one a patch");
}

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

arma::uword statistic_columns(const HouseholderEvaluator& patch) {
  return patch.form == HouseholderForm::dense ? patch.u.n_rows : patch.u.n_cols;
}

}  // namespace

std::size_t dimension(const PatchRotation& rotation) {
  return rotation.side * rotation.side;
}

arma::mat matrix(const PatchRotation& rotation) {
  const PatchEvaluator prepared = prepare(rotation, HouseholderForm::dense);
  const std::size_t d = dimension(rotation);
  arma::mat q(d, d, arma::fill::zeros);
  for (arma::uword t = 0; t < prepared.patches.size(); ++t)
    q.submat(prepared.source.col(t), prepared.target.col(t)) = prepared.patches[t].q;
  return q;
}

arma::mat rotate(const PatchRotation& rotation, const arma::mat& x) {
  return detail::rotate_all(rotation, x);
}

arma::mat rotate_back(const PatchRotation& rotation, const arma::mat& x) {
  return detail::rotate_all_back(rotation, x);
}

arma::mat backward(const PatchRotation& rotation, const arma::mat& x, const arma::mat& y_bar, PatchRotation& grad) {
  return detail::pull_back_all(rotation, x, y_bar, grad);
}

PatchRotation random_patch_rotation(std::size_t side, std::size_t patch, std::size_t reflections,
                                    RandomStream& stream) {
  const std::size_t across = patch > 0 ? side / patch : 0;
  PatchRotation rotation{side, patch, 0, false, arma::cube(patch * patch, reflections, across * across)};
  require_sizes(rotation);
  fill_normal(stream, rotation.v.memptr(), rotation.v.n_elem);
  rotation.shift = stream.below(side);
  rotation.vertical = stream.below(2) == 1;
  return rotation;
}

PatchEvaluator prepare(const PatchRotation& rotation, HouseholderForm form) {
  require_sizes(rotation);
  const auto& [side, patch, shift, vertical, v] = rotation;
  PatchEvaluator prepared{
      patch_columns(side, patch, vertical ? shift : 0, vertical ? 0 : shift), patch_columns(side, patch, 0, 0), {}};
  prepared.patches.reserve(v.n_slices);
  for (arma::uword t = 0; t < v.n_slices; ++t) prepared.patches.push_back(prepare(Householder{v.slice(t)}, form));
  return prepared;
}

void apply(const PatchEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch) {
  y.set_size(x.n_rows, x.n_cols);
  for (std::size_t t = 0; t < rotation.patches.size(); ++t) {
    take(x, rotation.source, t, scratch.in);
    apply(rotation.patches[t], scratch.in, scratch.out, scratch);
    put(scratch.out, rotation.target, t, y);
  }
}

void apply_back(const PatchEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch) {
  x.set_size(y.n_rows, y.n_cols);
  for (std::size_t t = 0; t < rotation.patches.size(); ++t) {
    take(y, rotation.target, t, scratch.in);
    apply_back(rotation.patches[t], scratch.in, scratch.out, scratch);
    put(scratch.out, rotation.source, t, x);
  }
}

arma::mat zero_gradient_sums(const PatchEvaluator& rotation) {
  const HouseholderEvaluator& first = rotation.patches.front();
  return arma::mat(first.u.n_rows, rotation.patches.size() * statistic_columns(first), arma::fill::zeros);
}

void backward(const PatchEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& gradient_sums, RotationScratch& scratch) {
  x_bar.set_size(y.n_rows, y.n_cols);
  for (std::size_t t = 0; t < rotation.patches.size(); ++t) {
    take(y, rotation.target, t, scratch.in);
    take(y_bar, rotation.target, t, scratch.bar);
    const arma::uword count = statistic_columns(rotation.patches[t]);
    arma::mat share(gradient_sums.memptr() + t * gradient_sums.n_rows * count, gradient_sums.n_rows, count, false,
                    true);
    backward(rotation.patches[t], scratch.in, scratch.bar, scratch.out, share, scratch);
    put(scratch.out, rotation.source, t, x_bar);
  }
}

void add_gradient(const PatchEvaluator& rotation, const arma::mat& gradient_sums, PatchRotation& grad) {
  const HouseholderEvaluator& first = rotation.patches.front();
  require(
      grad.v.n_rows == first.u.n_rows && grad.v.n_cols == first.u.n_cols && grad.v.n_slices == rotation.patches.size(),
      "finish: the rotation's v is ", first.u.n_rows, "×", first.u.n_cols, "×", rotation.patches.size(),
      " and the gradient's ", grad.v.n_rows, "×", grad.v.n_cols, "×", grad.v.n_slices,
      "; start the gradient as zeros of the rotation's shape");
  const arma::uword count = statistic_columns(first);
  for (std::size_t t = 0; t < rotation.patches.size(); ++t) {
    const arma::mat share(gradient_sums.memptr() + t * gradient_sums.n_rows * count, gradient_sums.n_rows, count);
    detail::add_vector_gradients(rotation.patches[t], share, grad.v.slice(t));
  }
}

}  // namespace gaussianize
