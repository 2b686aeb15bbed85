#include "gaussianize/info/detail/scores.hpp"

#include <algorithm>
#include <numeric>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

/// A row's key breaks ties: by position, or by chance where the caller asked for that.
std::vector<std::size_t> increasing_order(const double* x, std::size_t n, const std::vector<std::size_t>& key) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return x[a] != x[b] ? x[a] < x[b] : key[a] < key[b]; });
  return order;
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
  std::vector<std::size_t> keys(n);
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  return keys;
}

void check_data(const arma::mat& x, const char* what) {
  require(x.n_rows >= 2 && x.n_cols >= 1, what, ": ", x.n_rows, " × ", x.n_cols,
          " data; at least 2 rows and 1 column are needed");
  require_finite(x, what);
  for (arma::uword d = 0; d < x.n_cols; ++d)
    if (arma::all(x.col(d) == x(0, d)))
      throw DataError(concat(what, ": column ", d, " is constant (", x(0, d), "): it says nothing; drop it"));
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
  constexpr double least = 1e-13;  // of a correlation matrix's eigenvalues; independent columns have them near 1
  if (x.n_cols < 2 || x.n_rows <= x.n_cols) return false;
  const BlasGuard blas;
  arma::mat y = x;
  for (arma::uword d = 0; d < y.n_cols; ++d) y.col(d) /= arma::abs(y.col(d)).max();
  arma::vec eigenvalues;
  return arma::eig_sym(eigenvalues, arma::cor(y)) && eigenvalues.min() < least;
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
                                     "the value says how far the rows can show it; drop a column"));
  if (n < 10 * x.n_cols)
    scores.warnings.push_back(
        concat(what, ": ", n, " rows for ", x.n_cols, " columns are few; expect large errors, also of the interval"));
  return scores;
}

Scores select_columns(const Scores& scores, const arma::uvec& columns) {
  return {scores.level.cols(columns), scores.quantile, scores.z.cols(columns), {}};
}

arma::uvec ranks(const arma::vec& values) {
  std::vector<std::size_t> key(values.n_elem);
  std::iota(key.begin(), key.end(), std::size_t{0});
  const std::vector<std::size_t> order = increasing_order(values.memptr(), values.n_elem, key);
  arma::uvec rank(values.n_elem);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

arma::vec log_normal_rows(const arma::mat& z) {
  return static_cast<double>(z.n_cols) * log_normal_pdf(0.0) - 0.5 * arma::sum(arma::square(z), 1);
}

}  // namespace gaussianize::detail
