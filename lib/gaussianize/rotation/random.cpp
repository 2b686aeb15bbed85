#include "gaussianize/rotation/random.hpp"

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/detail/orthogonal.hpp"

namespace gaussianize {
using namespace detail;

arma::mat random_rotation(std::size_t dimension, RandomStream& stream) {
  require(dimension > 0, "random_rotation: the dimension is 0; it must be at least 1");
  const BlasGuard blas;
  arma::mat q, r;
  if (!arma::qr(q, r, random_normal(dimension, dimension, stream)))
    throw NumericalError("the QR decomposition of a random matrix failed");
  // The decomposition's own choice of signs is not uniform; with R's diagonal made positive it is unique, and Q is
  // Haar.
  for (arma::uword j = 0; j < dimension; ++j)
    if (r(j, j) < 0.0) q.col(j) *= -1.0;
  return detail::reorthogonalise(std::move(q));
}

}  // namespace gaussianize
