#pragma once

#include <cstring>

#include <armadillo>

/// The same shape and the same bits.
template <class Matrix>
bool same_bytes(const Matrix& a, const Matrix& b) {
  return a.n_rows == b.n_rows && a.n_cols == b.n_cols &&
         (a.n_elem == 0 || std::memcmp(a.memptr(), b.memptr(), a.n_elem * sizeof(double)) == 0);
}
