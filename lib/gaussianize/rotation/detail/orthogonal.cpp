#include "gaussianize/rotation/detail/orthogonal.hpp"

#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/error.hpp"

namespace gaussianize::detail {

void fix_signs(arma::mat& q) {
  for (arma::uword j = 0; j < q.n_cols; ++j) {
    double largest = 0.0;
    for (arma::uword i = 0; i < q.n_rows; ++i)
      if (std::abs(q(i, j)) > std::abs(largest)) largest = q(i, j);
    if (largest < 0.0) q.col(j) *= -1.0;
  }
}

arma::mat nearest_orthogonal(const arma::mat& a) {
  if (!a.is_finite()) throw NumericalError("a rotation update is not finite; rescale the data");
  const BlasGuard blas;
  arma::mat u, v;
  arma::vec s;
  if (!arma::svd(u, s, v, a)) throw NumericalError("the singular value decomposition of a rotation failed");
  return reorthogonalise(u * v.t());
}

arma::mat reorthogonalise(arma::mat q) {
  const BlasGuard blas;
  // Quadratic: 1e-3 becomes 1e-6, 1e-12, then rounding.
  for (int step = 0; step < 3; ++step) {
    arma::mat gram = q.t() * q;
    gram.diag() -= 1.0;
    const double error = arma::abs(gram).max();
    q -= 0.5 * q * gram;
    if (error < 1e-9) break;
  }
  return q;
}

arma::mat cayley(const arma::mat& a) {
  const BlasGuard blas;
  const arma::mat identity = arma::eye(a.n_rows, a.n_cols);
  arma::mat rotation;
  if (!arma::solve(rotation, identity - 0.5 * a, identity + 0.5 * a))
    throw NumericalError("a rotation step is not finite; rescale the data");
  return rotation;
}

}  // namespace gaussianize::detail
