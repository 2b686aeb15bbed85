#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

namespace gaussianize::detail {

/// A column in increasing order, for estimators that look at neighbouring rows.
struct SortedColumn {
  std::vector<double> x;         ///< increasing
  std::vector<std::size_t> row;  ///< where x[i] stood
  std::vector<double> mid_rank;  ///< i, or the mean i of the rows that share x[i]'s value
  std::size_t ties = 0;          ///< rows that repeat the value of another

  std::size_t size() const { return x.size(); }

  /// The first row with x[i]'s value, and the one after the last.
  std::size_t first_equal(std::size_t i) const;
  std::size_t after_equal(std::size_t i) const;

  /// values[i] belongs to x[i]; the result is in the order of the original rows.
  arma::vec in_row_order(const std::vector<double>& values) const;
};

/// O(N log N). Throws DataError for fewer than 3 rows, a value that is not finite, or a constant column.
SortedColumn sort_column(const arma::vec& x);

/// log(to − from) for finite from < to, where the difference itself may overflow.
double log_distance(double from, double to);

/// ψ at the half-integers: table[k] = ψ(k/2) for k = 1 … count; table[0] is not used. O(count).
std::vector<double> half_integer_digamma(std::size_t count);

}  // namespace gaussianize::detail
