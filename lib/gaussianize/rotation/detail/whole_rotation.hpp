#pragma once

#include <armadillo>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/rotation/householder.hpp"

/// A trainable rotation of many rows at once, by its prepared form. The same for every kind that has prepare, apply,
/// apply_back, backward, zero_gradient_sums and finish.
namespace gaussianize::detail {

template <class Rotation>
void require_columns(const char* caller, const Rotation& rotation, const arma::mat& x) {
  require(x.n_cols == dimension(rotation), caller, ": x is ", x.n_rows, "×", x.n_cols, " but the rotation takes ",
          dimension(rotation), " columns; pass one column per dimension, rows being observations");
}

template <class Rotation>
arma::mat rotate_all(const Rotation& rotation, const arma::mat& x) {
  require_columns("rotate", rotation, x);
  const BlasGuard blas;
  arma::mat y;
  RotationScratch scratch;
  apply(prepare(rotation), x, y, scratch);
  return y;
}

template <class Rotation>
arma::mat rotate_all_back(const Rotation& rotation, const arma::mat& y) {
  require_columns("rotate_back", rotation, y);
  const BlasGuard blas;
  arma::mat x;
  RotationScratch scratch;
  apply_back(prepare(rotation), y, x, scratch);
  return x;
}

template <class Rotation>
arma::mat pull_back_all(const Rotation& rotation, const arma::mat& x, const arma::mat& y_bar, Rotation& grad) {
  require_columns("backward", rotation, x);
  require(arma::size(x) == arma::size(y_bar), "backward: x is ", x.n_rows, "×", x.n_cols, " and y_bar ", y_bar.n_rows,
          "×", y_bar.n_cols, "; they must agree");
  const BlasGuard blas;
  const auto prepared = prepare(rotation);
  arma::mat y, x_bar, gradient_sums = zero_gradient_sums(prepared);
  RotationScratch scratch;
  apply(prepared, x, y, scratch);
  backward(prepared, y, y_bar, x_bar, gradient_sums, scratch);
  add_gradient(prepared, gradient_sums, grad);
  return x_bar;
}

}  // namespace gaussianize::detail
