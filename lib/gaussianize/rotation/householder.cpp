#include "gaussianize/rotation/householder.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/detail/orthogonal.hpp"
#include "gaussianize/rotation/detail/whole_rotation.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// By operations a row of a training step, 6D² against 14DM, with the factored form's narrow products charged for
/// their lower speed. Below 64 columns one small product beats several in any case.
HouseholderForm cheapest_form(std::size_t d, std::size_t m) {
  return d >= 64 && 3 * m <= d ? HouseholderForm::factored : HouseholderForm::dense;
}

/// Writes v/‖v‖ to u and returns 1/‖v‖. A power of two taken out first keeps the squares in range, without rounding.
double normalise(const double* v, double* u, std::size_t d, std::size_t index) {
  double largest = 0.0;
  for (std::size_t i = 0; i < d; ++i) {
    require(std::isfinite(v[i]), "Householder: entry ", i, " of vector ", index, " is ", v[i], "; it must be finite");
    largest = std::max(largest, std::abs(v[i]));
  }
  require(largest > 0.0, "Householder: vector ", index, " is zero and reflects nothing; give it any direction");
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
  return u.n_cols > u.n_rows ? detail::reorthogonalise(std::move(q)) : q;
}

}  // namespace

std::size_t dimension(const Householder& rotation) {
  return rotation.v.n_rows;
}

arma::mat matrix(const Householder& rotation) {
  return prepare(rotation, HouseholderForm::dense).q;
}

arma::mat rotate(const Householder& rotation, const arma::mat& x) {
  return detail::rotate_all(rotation, x);
}

arma::mat rotate_back(const Householder& rotation, const arma::mat& x) {
  return detail::rotate_all_back(rotation, x);
}

arma::mat backward(const Householder& rotation, const arma::mat& x, const arma::mat& y_bar, Householder& grad) {
  return detail::pull_back_all(rotation, x, y_bar, grad);
}

Householder random_householder(std::size_t dimension, std::size_t reflections, RandomStream& stream) {
  require(dimension > 0, "random_householder: the dimension is 0; it must be at least 1");
  return {random_normal(dimension, reflections, stream)};
}

HouseholderEvaluator prepare(const Householder& rotation, HouseholderForm form) {
  const std::size_t d = rotation.v.n_rows, m = rotation.v.n_cols;
  require(d > 0, "Householder: v is ", d, "×", m, "; it needs one row per dimension");
  const BlasGuard blas;
  HouseholderEvaluator prepared;
  prepared.form = form == HouseholderForm::cheapest ? cheapest_form(d, m) : form;
  prepared.u.set_size(d, m);
  prepared.inverse_length.set_size(m);
  for (std::size_t i = 0; i < m; ++i)
    prepared.inverse_length[i] = normalise(rotation.v.colptr(i), prepared.u.colptr(i), d, i);
  prepared.w = second_factor(prepared.u);
  if (prepared.form == HouseholderForm::dense) prepared.q = product(prepared.u, prepared.w);
  return prepared;
}

void apply(const HouseholderEvaluator& rotation, const arma::mat& x, arma::mat& y, RotationScratch& scratch) {
  if (rotation.form == HouseholderForm::dense) {
    y = x * rotation.q;
    return;
  }
  scratch.yw = x * rotation.u;
  y = x;
  y -= scratch.yw * rotation.w.t();
}

void apply_back(const HouseholderEvaluator& rotation, const arma::mat& y, arma::mat& x, RotationScratch& scratch) {
  if (rotation.form == HouseholderForm::dense) {
    x = y * rotation.q.t();
    return;
  }
  scratch.yw = y * rotation.w;
  x = y;
  x -= scratch.yw * rotation.u.t();
}

arma::mat zero_gradient_sums(const HouseholderEvaluator& rotation) {
  const arma::uword d = rotation.u.n_rows;
  return arma::mat(d, rotation.form == HouseholderForm::dense ? d : rotation.u.n_cols, arma::fill::zeros);
}

void backward(const HouseholderEvaluator& rotation, const arma::mat& y, const arma::mat& y_bar, arma::mat& x_bar,
              arma::mat& gradient_sums, RotationScratch& scratch) {
  if (rotation.form == HouseholderForm::dense) {
    x_bar = y_bar * rotation.q.t();
    gradient_sums += y.t() * y_bar;  // (H4)
    return;
  }
  scratch.yw = y * rotation.w;
  scratch.y_bar_w = y_bar * rotation.w;
  x_bar = y_bar;
  x_bar -= scratch.y_bar_w * rotation.u.t();
  gradient_sums += y.t() * scratch.y_bar_w;  // (H6)
  gradient_sums -= y_bar.t() * scratch.yw;
}

void add_gradient(const HouseholderEvaluator& rotation, const arma::mat& gradient_sums, Householder& grad) {
  require(arma::size(grad.v) == arma::size(rotation.u), "finish: the rotation's v is ", rotation.u.n_rows, "×",
          rotation.u.n_cols, " and the gradient's ", grad.v.n_rows, "×", grad.v.n_cols,
          "; start the gradient as zeros of the rotation's shape");
  detail::add_vector_gradients(rotation, gradient_sums, grad.v);
}

namespace detail {

void add_vector_gradients(const HouseholderEvaluator& rotation, const arma::mat& gradient_sums, arma::mat& v_bar) {
  if (rotation.u.n_cols == 0) return;
  const BlasGuard blas;
  arma::mat kw = rotation.form == HouseholderForm::dense ? arma::mat((gradient_sums - gradient_sums.t()) * rotation.w)
                                                         : gradient_sums;
  arma::mat lower = rotation.w.t() * kw;
  lower = arma::trimatl(lower);
  lower.diag().zeros();
  kw -= rotation.u * lower;  // (H5)
  for (arma::uword i = 0; i < v_bar.n_cols; ++i) v_bar.col(i) -= rotation.inverse_length[i] * kw.col(i);
}

}  // namespace detail
}  // namespace gaussianize
