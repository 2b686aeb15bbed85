#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#include "support/draws.hpp"

/// What every test of a rotation asks.
namespace gaussianize::testing {

/// max |QᵀQ − I|, summed in extended precision by plain loops.
inline double deviation_from_orthogonal(const arma::mat& q) {
  long double worst = 0;
  for (arma::uword i = 0; i < q.n_cols; ++i)
    for (arma::uword j = 0; j < q.n_cols; ++j) {
      long double sum = i == j ? -1.0L : 0.0L;
      for (arma::uword k = 0; k < q.n_rows; ++k) sum += static_cast<long double>(q(k, i)) * q(k, j);
      // Written so that a NaN counts.
      if (!(std::abs(sum) <= worst)) worst = std::isnan(sum) ? std::numeric_limits<long double>::max() : std::abs(sum);
    }
  return static_cast<double>(std::min<long double>(worst, std::numeric_limits<double>::max()));
}

/// What the header of every rotation that is found promises.
inline bool is_orthogonal(const arma::mat& q) {
  return q.n_rows == q.n_cols &&
         deviation_from_orthogonal(q) <= 30.0 * static_cast<double>(q.n_rows) * std::numeric_limits<double>::epsilon();
}

/// Whether the entry of largest modulus of every column is positive.
inline bool signs_are_fixed(const arma::mat& q) {
  for (arma::uword j = 0; j < q.n_cols; ++j)
    if (q(arma::index_max(arma::abs(q.col(j))), j) <= 0.0) return false;
  return true;
}

/// Correlated data without symmetry: squares of mixed uniforms.
inline arma::mat lopsided_data(arma::uword n, arma::uword d, std::uint64_t seed) {
  RandomStream stream(Seed{seed}, Purpose::test);
  arma::mat x(n, d);
  for (double& value : x) value = stream.uniform();
  arma::mat mixing(d, d);
  for (double& value : mixing) value = stream.uniform() - 0.3;
  return arma::square(x) * mixing;
}

}  // namespace gaussianize::testing
