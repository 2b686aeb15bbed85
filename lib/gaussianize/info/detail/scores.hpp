#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/info/measure.hpp"

/// Ranks, and what is made of them: normal scores for copulas, sorted columns for entropies.
namespace gaussianize::detail {

/// The ranks of every column, and the normal scores that they make: all that a copula depends on.
struct Scores {
  arma::umat level;        ///< N×D: twice the rank, counted from 0, tied values sharing the mean of theirs
  arma::vec quantile;      ///< 2N − 1 values Φ⁻¹((level + 1)/2N): the score of each level
  arma::mat z;             ///< N×D: quantile(level)
  bool collinear = false;  ///< the columns' dependence is infinite
  std::vector<std::string> warnings;

  std::size_t rows() const { return z.n_rows; }
  std::size_t columns() const { return z.n_cols; }
};

/// Ranks x. `what` names the data in messages. Throws std::invalid_argument for entries that are not finite, for fewer
/// than 2 rows or no column, and DataError for a constant column. O(N·D·log N).
Scores normal_scores(const arma::mat& x, const MeasureOptions& options, const char* what);

/// The given columns alone.
Scores select_columns(const Scores& scores, const arma::uvec& columns);

/// The rank (from 0) of each entry, ties in the order of rows.
arma::uvec ranks(const arma::vec& values);

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

}  // namespace gaussianize::detail
