#pragma once

#include <cmath>
#include <vector>

#include <armadillo>
#include <boost/math/differentiation/autodiff.hpp>

/// Oracles for trainable rotations: reflections one after the other, straight from their definition, on any scalar,
/// and derivatives that know nothing of the library's.
namespace gaussianize::testing {

/// max |a − b| / max |b|; what is not a number counts as infinite.
inline double relative_error(const arma::mat& a, const arma::mat& b) {
  if (arma::size(a) != arma::size(b)) return arma::datum::inf;
  if (b.is_empty()) return 0.0;
  const double error = arma::abs(a - b).max() / std::max(arma::abs(b).max(), 1e-300);
  return a.is_finite() && b.is_finite() ? error : arma::datum::inf;
}

/// row ← row·H_1⋯H_M, v being D×M, column-major.
template <class T>
void reflect_row(std::vector<T>& row, const std::vector<T>& v) {
  const std::size_t d = row.size();
  for (std::size_t m = 0; m < v.size() / d; ++m) {
    T dot = T(0), squares = T(0);
    for (std::size_t i = 0; i < d; ++i) {
      dot += row[i] * v[m * d + i];
      squares += v[m * d + i] * v[m * d + i];
    }
    const T factor = T(2) * dot / squares;
    for (std::size_t i = 0; i < d; ++i) row[i] -= factor * v[m * d + i];
  }
}

/// Σ y_bar ∘ (x·H_1⋯H_M): a loss that is linear in the output, so that y_bar is its cotangent.
template <class T>
T reflected_loss(const arma::mat& x, const std::vector<T>& v, const arma::mat& y_bar) {
  T loss = T(0);
  for (arma::uword n = 0; n < x.n_rows; ++n) {
    std::vector<T> row(x.n_cols);
    for (arma::uword j = 0; j < x.n_cols; ++j) row[j] = T(x(n, j));
    reflect_row(row, v);
    for (arma::uword j = 0; j < x.n_cols; ++j) loss += row[j] * y_bar(n, j);
  }
  return loss;
}

/// The derivative of reflected_loss with respect to v, by forward-mode automatic differentiation.
inline arma::mat autodiff_gradient(const arma::mat& x, const arma::mat& v, const arma::mat& y_bar) {
  using Dual = boost::math::differentiation::autodiff_fvar<double, 1>;
  arma::mat gradient(arma::size(v));
  for (arma::uword k = 0; k < v.n_elem; ++k) {
    std::vector<Dual> dual(v.begin(), v.end());
    dual[k] = boost::math::differentiation::make_fvar<double, 1>(v[k]);
    gradient[k] = reflected_loss(x, dual, y_bar).derivative(1);
  }
  return gradient;
}

/// The derivative of loss() with respect to each of `count` doubles that it reads, by sixth-order central differences.
template <class Loss>
arma::vec numeric_gradient(const Loss& loss, double* values, std::size_t count) {
  arma::vec gradient(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double kept = values[k], step = 4e-3 * std::max(1.0, std::abs(kept));
    const auto difference = [&](double h) {
      values[k] = kept + h;
      const double up = loss();
      values[k] = kept - h;
      return up - loss();
    };
    gradient[k] = (45.0 * difference(step) - 9.0 * difference(2.0 * step) + difference(3.0 * step)) / (60.0 * step);
    values[k] = kept;
  }
  return gradient;
}

}  // namespace gaussianize::testing
