#include "gaussianize/rotation/householder.hpp"

#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/detail/householder_evaluator.hpp"
#include "gaussianize/rotation/rotation.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// The vector whose reflection takes x to +‖x‖e_1, without cancellation [Golub & Van Loan, algorithm 5.1.1]. Where x is
/// there already it must still be a reflection, so as not to change how many there are: the one in e_2. Needs n ≥ 2.
arma::vec reflector(const arma::vec& x) {
  arma::vec v = x;
  double rest = 0.0;
  for (arma::uword i = 1; i < x.n_elem; ++i) rest += x[i] * x[i];
  const double length = std::sqrt(x[0] * x[0] + rest);
  v[0] = x[0] > 0.0 ? -rest / (x[0] + length) : x[0] - length;
  double norm = std::sqrt(v[0] * v[0] + rest);
  if (!(norm > 0.0)) {
    v.zeros();
    v[1] = norm = 1.0;
  }
  return v / norm;
}

}  // namespace

std::size_t dimension(const Householder& rotation) {
  return rotation.v.n_rows;
}

void check(const Householder& rotation) {
  const arma::mat& v = rotation.v;
  require(v.n_rows > 0, "Householder: v is ", v.n_rows, "×", v.n_cols, "; it needs one row per dimension");
  for (arma::uword m = 0; m < v.n_cols; ++m) {
    bool zero = true;
    for (arma::uword i = 0; i < v.n_rows; ++i) {
      require(std::isfinite(v(i, m)), "Householder: entry ", i, " of vector ", m, " is ", v(i, m),
              "; it must be finite");
      zero = zero && v(i, m) == 0.0;
    }
    require(!zero, "Householder: vector ", m, " is zero and reflects nothing; give it any direction");
  }
}

arma::mat matrix(const Householder& rotation) {
  return make_evaluator(rotation, HouseholderForm::dense).q;
}

Householder random_householder(std::size_t dimension, std::size_t reflections, RandomStream& stream) {
  require(dimension > 0, "random_householder: the dimension is 0; it must be at least 1");
  return {random_normal(dimension, reflections, stream)};
}

Householder to_householder(const arma::mat& q) {
  const arma::uword d = q.n_rows;
  require(d > 0, "to_householder: the matrix is empty");
  const double error = orthogonality_error(q);
  require(error <= 1e-8, "to_householder: max |QᵀQ − I| is ", error, "; the matrix must be orthogonal");

  // H_{D−1} ⋯ H_1 q is upper triangular, orthogonal and positive on its diagonal up to the last entry, so it is the
  // identity but for that entry's sign, which is det q·(−1)^{D−1}.
  const BlasGuard blas;
  arma::mat rest = q;
  arma::mat v(d, d, arma::fill::zeros);
  for (arma::uword k = 0; k + 1 < d; ++k) {
    const arma::vec u = reflector(rest.submat(k, k, d - 1, k));
    const arma::rowvec projection = 2.0 * u.t() * rest.submat(k, k, d - 1, d - 1);
    rest.submat(k, k, d - 1, d - 1) -= u * projection;
    v.submat(k, k, d - 1, k) = u;
  }
  if (rest(d - 1, d - 1) < 0.0)
    v(d - 1, d - 1) = 1.0;
  else
    v.shed_col(d - 1);
  return {v * std::sqrt(static_cast<double>(d))};
}

}  // namespace gaussianize
