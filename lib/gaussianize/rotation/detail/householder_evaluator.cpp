#include "gaussianize/rotation/detail/householder_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/rotation/detail/orthogonal.hpp"

namespace gaussianize::detail {
namespace {

/// By operations a row of a training step, 6D² against 14DM, with the factored form's narrow products charged for
/// their lower speed. Below 64 columns one small product beats several in any case.
HouseholderForm cheapest_form(std::size_t d, std::size_t m) {
  return d >= 64 && 3 * m <= d ? HouseholderForm::factored : HouseholderForm::dense;
}

/// Writes v/‖v‖ to u and returns 1/‖v‖. A power of two taken out first keeps the squares in range, without rounding.
double normalise(const double* v, double* u, std::size_t d) {
  double largest = 0.0;
  for (std::size_t i = 0; i < d; ++i) largest = std::max(largest, std::abs(v[i]));
  const int exponent = std::clamp(std::ilogb(largest), -1000, 1000);
  const double scale = std::scalbn(1.0, -exponent);
  double squares = 0.0;
  for (std::size_t i = 0; i < d; ++i) {
    u[i] = v[i] * scale;
    squares += u[i] * u[i];
  }
  const double length = std::sqrt(squares);
  for (std::size_t i = 0; i < d; ++i) u[i] /= length;
  return std::scalbn(1.0 / length, -exponent);
}

/// w with ½w_i + Σ_{j>i} (u_iᵀu_j) w_j = u_i, (H2). Every entry of the inverse of that triangle is at most 4 in
/// modulus, whatever the vectors, so substitution is safe.
arma::mat second_factor(const arma::mat& u) {
  if (u.n_cols == 0) return u;
  arma::mat triangle = u.t() * u;
  triangle.diag().fill(0.5);
  arma::mat w;
  if (!arma::solve(w, arma::trimatu(triangle), u.t(), arma::solve_opts::fast))
    throw NumericalError("the triangular system of a Householder product could not be solved");
  arma::inplace_trans(w);
  return w;
}

arma::mat product(const arma::mat& u, const arma::mat& w) {
  arma::mat q = arma::eye(u.n_rows, u.n_rows);
  q -= u * w.t();
  // Rounding grows with the number of terms; up to D of them stay within the promise.
  return u.n_cols > u.n_rows ? reorthogonalise(std::move(q)) : q;
}

}  // namespace

HouseholderEvaluator make_evaluator(const Householder& rotation, HouseholderForm form) {
  check(rotation);
  const std::size_t d = rotation.v.n_rows, m = rotation.v.n_cols;
  const BlasGuard blas;
  HouseholderEvaluator evaluator;
  evaluator.form = form == HouseholderForm::cheapest ? cheapest_form(d, m) : form;
  evaluator.u.set_size(d, m);
  evaluator.inverse_length.set_size(m);
  for (std::size_t i = 0; i < m; ++i)
    evaluator.inverse_length[i] = normalise(rotation.v.colptr(i), evaluator.u.colptr(i), d);
  evaluator.w = second_factor(evaluator.u);
  if (evaluator.form == HouseholderForm::dense) evaluator.q = product(evaluator.u, evaluator.w);
  return evaluator;
}

void forward(const HouseholderEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch) {
  if (rotation.form == HouseholderForm::dense) {
    y = x * rotation.q;
    return;
  }
  scratch.yw = x * rotation.u;
  y = x;
  y -= scratch.yw * rotation.w.t();
}

void inverse(const HouseholderEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch) {
  if (rotation.form == HouseholderForm::dense) {
    x = y * rotation.q.t();
    return;
  }
  scratch.yw = y * rotation.w;
  x = y;
  x -= scratch.yw * rotation.u.t();
}

void reset_gradient_sums(const HouseholderEvaluator& rotation, arma::mat& sums) {
  const arma::uword d = rotation.u.n_rows;
  sums.zeros(d, rotation.form == HouseholderForm::dense ? d : rotation.u.n_cols);
}

void backward(const HouseholderEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& sums, RotationScratch& scratch) {
  if (rotation.form == HouseholderForm::dense) {
    x_bar = y_bar * rotation.q.t();
    sums += y.t() * y_bar;  // (H4)
    return;
  }
  scratch.yw = y * rotation.w;
  scratch.y_bar_w = y_bar * rotation.w;
  x_bar = y_bar;
  x_bar -= scratch.y_bar_w * rotation.u.t();
  sums += y.t() * scratch.y_bar_w;  // (H6)
  sums -= y_bar.t() * scratch.yw;
}

void add_gradient(const HouseholderEvaluator& rotation, const arma::mat& sums, Householder& gradient) {
  require(arma::size(gradient.v) == arma::size(rotation.u), "add_gradient: the rotation's v is ", rotation.u.n_rows,
          "×", rotation.u.n_cols, " and the gradient's ", gradient.v.n_rows, "×", gradient.v.n_cols,
          "; start the gradient as zeros of the rotation's shape");
  add_vector_gradients(rotation, sums, gradient.v);
}

void add_vector_gradients(const HouseholderEvaluator& rotation, const arma::mat& sums, arma::mat& v_bar) {
  if (rotation.u.n_cols == 0) return;
  const BlasGuard blas;
  arma::mat kw = rotation.form == HouseholderForm::dense ? arma::mat((sums - sums.t()) * rotation.w) : sums;
  arma::mat lower = rotation.w.t() * kw;
  lower = arma::trimatl(lower);
  lower.diag().zeros();
  kw -= rotation.u * lower;  // (H5)
  for (arma::uword i = 0; i < v_bar.n_cols; ++i) v_bar.col(i) -= rotation.inverse_length[i] * kw.col(i);
}

}  // namespace gaussianize::detail
