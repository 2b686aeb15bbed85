#include "gaussianize/rotation/rotation.hpp"

#include <limits>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;
namespace {

void require_columns(const char* caller, const arma::mat& q, const arma::mat& x) {
  require(q.n_rows == q.n_cols, caller, ": the rotation's matrix is ", q.n_rows, "×", q.n_cols,
          "; it must be square and orthogonal");
  require(x.n_cols == q.n_rows, caller, ": x is ", x.n_rows, "×", x.n_cols, " but the rotation takes ", q.n_rows,
          " columns; pass one column per dimension, rows being observations");
}

arma::mat rotate(const Identity&, const arma::mat& x) {
  return x;
}

arma::mat rotate_back(const Identity&, const arma::mat& x) {
  return x;
}

std::size_t dimension(const Identity&) {
  return 0;
}

arma::mat rotate(const Orthogonal& rotation, const arma::mat& x) {
  require_columns("rotate", rotation.q, x);
  const BlasGuard blas;
  return x * rotation.q;
}

arma::mat rotate_back(const Orthogonal& rotation, const arma::mat& x) {
  require_columns("rotate_back", rotation.q, x);
  const BlasGuard blas;
  return x * rotation.q.t();
}

std::size_t dimension(const Orthogonal& rotation) {
  return rotation.q.n_rows;
}

}  // namespace

arma::mat rotate(const Rotation& rotation, const arma::mat& x) {
  return std::visit([&](const auto& r) { return rotate(r, x); }, rotation);
}

arma::mat rotate_back(const Rotation& rotation, const arma::mat& x) {
  return std::visit([&](const auto& r) { return rotate_back(r, x); }, rotation);
}

std::size_t dimension(const Rotation& rotation) {
  return std::visit([](const auto& r) { return dimension(r); }, rotation);
}

double orthogonality_error(const arma::mat& q) {
  require(q.n_rows == q.n_cols, "orthogonality_error: the matrix is ", q.n_rows, "×", q.n_cols,
          "; only a square one can be orthogonal");
  if (q.is_empty()) return 0.0;
  if (!q.is_finite()) return std::numeric_limits<double>::infinity();
  const BlasGuard blas;
  arma::mat gram = q.t() * q;
  gram.diag() -= 1.0;
  return arma::abs(gram).max();
}

}  // namespace gaussianize
