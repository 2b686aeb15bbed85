#pragma once

#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/info/measure.hpp"

/// What the measures share; not part of the library's interface.
namespace gaussianize::detail {

/// The ranks of every column, and the normal scores that they make: all that a copula has to say.
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

/// Values of `values` in increasing order of rank: the rank (from 0) of each entry, ties in the order of rows.
arma::uvec ranks(const arma::vec& values);

/// Σ_d log φ(z_d) of every row.
arma::vec log_normal_rows(const arma::mat& z);

}  // namespace gaussianize::detail
