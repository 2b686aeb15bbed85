#include "gaussianize/info/detail/scores.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

/// Rows in increasing order of x; a row's key breaks ties.
std::vector<std::size_t> increasing_order(const double* x, std::size_t n, const std::vector<std::size_t>& key) {
  struct Entry {
    double x;
    std::size_t key, row;
  };
  std::vector<Entry> entries(n);
  for (std::size_t i = 0; i < n; ++i) entries[i] = {x[i], key[i], i};
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.x < b.x || (a.x == b.x && a.key < b.key); });
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = entries[i].row;
  return order;
}

/// Keys by which tied rows stay in their own order.
std::vector<std::size_t> row_keys(std::size_t n) {
  std::vector<std::size_t> keys(n);
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  return keys;
}

/// Twice the mean rank of every row, and how many rows repeat another's value.
std::size_t rank_column(const double* x, std::size_t n, const std::vector<std::size_t>& key, bool share,
                        arma::uword* level) {
  const std::vector<std::size_t> order = increasing_order(x, n, key);
  std::size_t repeats = 0;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && x[order[end]] == x[order[begin]]) ++end;
    repeats += end - begin - 1;
    for (std::size_t i = begin; i < end; ++i) level[order[i]] = share ? begin + end - 1 : 2 * i;
    begin = end;
  }
  return repeats;
}

/// Shared ranks are values on a grid, on which densities have spikes: only a correlation is safe from them.
bool ties_at_random(const MeasureOptions& options) {
  return options.jitter || options.method != MeasureMethod::gaussian_copula;
}

std::vector<std::size_t> tie_keys(std::size_t n, std::size_t column, const MeasureOptions& options) {
  if (ties_at_random(options)) {
    RandomStream stream(options.seed, Purpose::jitter, column);
    return permutation(n, stream);
  }
  return row_keys(n);
}

void check_data(const arma::mat& x, const char* what) {
  require(x.n_rows >= 2 && x.n_cols >= 1, what, ": ", x.n_rows, " × ", x.n_cols,
          " data; at least 2 rows and 1 column are needed");
  require_finite(x, what);
  for (arma::uword d = 0; d < x.n_cols; ++d)
    if (arma::all(x.col(d) == x(0, d)))
      throw DataError(concat(what, ": column ", d, " is constant (", x(0, d), "): it carries no information; drop it"));
}

/// "column 0 (12), column 3 (5) and 2 more": those with repeated values, and how many, the first four of them by name.
std::string tied_columns(const std::vector<std::size_t>& repeats) {
  constexpr std::size_t max_named = 4;
  std::string list;
  std::size_t tied = 0;
  for (std::size_t d = 0; d < repeats.size(); ++d)
    if (repeats[d] > 0 && ++tied <= max_named)
      list += concat(tied > 1 ? ", " : "", "column ", d, " (", repeats[d], ")");
  return tied > max_named ? concat(list, " and ", tied - max_named, " more") : list;
}

/// Whether some linear combination of the columns, each in units of its largest modulus, is constant up to rounding.
bool linearly_dependent(const arma::mat& x) {
  constexpr double min_eigenvalue =
      1e-13;  // of a correlation matrix's eigenvalues; independent columns have them near 1
  if (x.n_cols < 2 || x.n_rows <= x.n_cols) return false;
  const BlasGuard blas;
  arma::mat y = x;
  for (arma::uword d = 0; d < y.n_cols; ++d) y.col(d) /= arma::abs(y.col(d)).max();
  arma::vec eigenvalues;
  return arma::eig_sym(eigenvalues, arma::cor(y)) && eigenvalues.min() < min_eigenvalue;
}

}  // namespace

Scores normal_scores(const arma::mat& x, const MeasureOptions& options, const char* what) {
  check_data(x, what);
  Scores scores;
  const std::size_t n = x.n_rows;
  scores.quantile.set_size(2 * n - 1);
  for (std::size_t k = 0; k < n; ++k) {
    const double z = normal_quantile(static_cast<double>(k + 1) / static_cast<double>(2 * n));
    scores.quantile[k] = z;
    scores.quantile[2 * n - 2 - k] = -z;
  }
  scores.level.set_size(n, x.n_cols);
  scores.z.set_size(n, x.n_cols);
  std::vector<std::size_t> repeats(x.n_cols);
  parallel_for(x.n_cols, options.threads, [&](std::size_t d) {
    repeats[d] = rank_column(x.colptr(d), n, tie_keys(n, d, options), !ties_at_random(options), scores.level.colptr(d));
    for (std::size_t i = 0; i < n; ++i) scores.z(i, d) = scores.quantile[scores.level(i, d)];
  });
  const std::string tied = tied_columns(repeats);
  if (!tied.empty())
    scores.warnings.push_back(concat(what, ": repeated values in ", n, " rows of ", tied, "; ",
                                     ties_at_random(options)
                                         ? "they were ordered at random"
                                         : "they share a rank, and jitter would order them at random"));
  scores.collinear = linearly_dependent(x);
  if (scores.collinear)
    scores.warnings.push_back(concat(what,
                                     ": the columns are linearly dependent, so that their dependence is infinite: "
                                     "the value is as large as so many rows can show; drop a column"));
  if (n < 10 * x.n_cols)
    scores.warnings.push_back(
        concat(what, ": ", n, " rows for ", x.n_cols, " columns are few; expect large errors, also of the interval"));
  return scores;
}

Scores select_columns(const Scores& scores, const arma::uvec& columns) {
  return {scores.level.cols(columns), scores.quantile, scores.z.cols(columns), {}};
}

arma::uvec ranks(const arma::vec& values) {
  const std::vector<std::size_t> order = increasing_order(values.memptr(), values.n_elem, row_keys(values.n_elem));
  arma::uvec rank(values.n_elem);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

std::size_t SortedColumn::first_equal(std::size_t i) const {
  if (i == 0 || x[i - 1] != x[i]) return i;
  return static_cast<std::size_t>(std::lower_bound(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i), x[i]) -
                                  x.begin());
}

std::size_t SortedColumn::after_equal(std::size_t i) const {
  if (i + 1 == x.size() || x[i + 1] != x[i]) return i + 1;
  return static_cast<std::size_t>(std::upper_bound(x.begin() + static_cast<std::ptrdiff_t>(i), x.end(), x[i]) -
                                  x.begin());
}

arma::vec SortedColumn::in_row_order(const std::vector<double>& values) const {
  arma::vec result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[row[i]] = values[i];
  return result;
}

SortedColumn sort_column(const arma::vec& x) {
  if (x.n_elem < 3) throw DataError(concat("an entropy with its error needs at least 3 rows, not ", x.n_elem));
  for (std::size_t i = 0; i < x.n_elem; ++i)
    if (!std::isfinite(x[i])) throw DataError(concat("row ", i, " is ", x[i], "; drop it or fill it in"));
  SortedColumn column;
  column.row = increasing_order(x.memptr(), x.n_elem, row_keys(x.n_elem));
  column.x.reserve(x.n_elem);
  for (const std::size_t row : column.row) column.x.push_back(x[row]);
  if (column.x.front() == column.x.back()) throw DataError(concat("constant (", x[0], "): it has no density; drop it"));

  column.mid_rank.resize(x.n_elem);
  for (std::size_t begin = 0, end = 0; begin < column.size(); begin = end) {
    for (end = begin + 1; end < column.size() && column.x[end] == column.x[begin];) ++end;
    column.ties += end - begin - 1;
    std::fill(column.mid_rank.begin() + static_cast<std::ptrdiff_t>(begin),
              column.mid_rank.begin() + static_cast<std::ptrdiff_t>(end), 0.5 * static_cast<double>(begin + end - 1));
  }
  return column;
}

}  // namespace gaussianize::detail
