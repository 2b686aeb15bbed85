#pragma once

#include <cmath>
#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

#include "support/draws.hpp"

/// Data that are legal and unkind: N×D, equal for equal seeds.
namespace gaussianize::testing {
using namespace detail;

/// Three dependent normal columns, the second of which is replaced.
template <class Column>
arma::mat with_column(std::size_t rows, Seed seed, Column column) {
  arma::mat x = normals(rows, 3, seed.value);
  x.col(2) += 0.8 * x.col(0);
  x.col(1) = column(arma::vec(x.col(1) + 0.5 * x.col(0)));
  return x;
}

/// Each value of the column mapped by itself.
template <class Map>
arma::vec each(arma::vec column, Map map) {
  column.transform(map);
  return column;
}

}  // namespace gaussianize::testing
