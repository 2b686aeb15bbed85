#pragma once

#include <cstddef>

#include <armadillo>

/// What the finders of a rotation share; not part of the library's interface.
namespace gaussianize::detail {

/// Throws std::invalid_argument, naming `caller`, unless x has a row and a column.
void require_rows(const char* caller, const arma::mat& x);

/// Row i of `count` rows evenly spaced over n: the middle of the i-th of `count` equal parts.
inline std::size_t spaced_row(std::size_t i, std::size_t count, std::size_t n) {
  return count == n ? i : (2 * i + 1) * n / (2 * count);
}

/// The covariance of data as diag(sd)·correlation·diag(sd), which neither overflows nor underflows for columns of any
/// finite scale. A constant column has sd = 0 and a zero row and column in `correlation`, its diagonal included.
struct Covariance {
  arma::rowvec mean;      ///< 1×D
  arma::rowvec sd;        ///< 1×D, with divisor N
  arma::mat correlation;  ///< D×D
};

/// Of N×D data, in three passes over blocks of rows: range, mean, centred products. O(N·D²). The same bits for any
/// number of threads.
Covariance covariance(const arma::mat& x, int threads);

}  // namespace gaussianize::detail
