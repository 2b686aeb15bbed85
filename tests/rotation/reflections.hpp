#pragma once

#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/householder.hpp"

#include "rotation/gradients.hpp"
#include "support/draws.hpp"

/// What both tests of Householder rotations start from.
namespace gaussianize::testing {
using namespace detail;

struct Shape {
  std::size_t d, m;
};

/// Every pair of dimension and number of reflections that is tested.
inline std::vector<Shape> shapes() {
  std::vector<Shape> all;
  for (const std::size_t d : {1, 2, 7, 43})
    for (const std::size_t m : {std::size_t{1}, std::size_t{3}, d, d + 4}) all.push_back({d, m});
  return all;
}

inline Householder random_of(std::size_t d, std::size_t m, std::uint64_t seed) {
  return {normals(d, m, seed)};
}

inline Householder zeros_like(const Householder& rotation) {
  return {arma::mat(arma::size(rotation.v), arma::fill::zeros)};
}

/// The product of the reflections in the order of the definition, in extended precision.
inline arma::mat reference_matrix(const Householder& rotation) {
  const std::size_t d = rotation.v.n_rows;
  arma::mat q(d, d);
  std::vector<long double> v(rotation.v.begin(), rotation.v.end());
  for (std::size_t r = 0; r < d; ++r) {
    std::vector<long double> row(d, 0.0L);
    row[r] = 1.0L;
    reflect_row(row, v);
    for (std::size_t c = 0; c < d; ++c) q(r, c) = static_cast<double>(row[c]);
  }
  return q;
}

}  // namespace gaussianize::testing
