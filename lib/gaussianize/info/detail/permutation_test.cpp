#include "gaussianize/info/detail/permutation_test.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/rotation/detail/covariance.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::size_t max_rows = 10000, max_values = 200000;

arma::mat standardised(arma::mat f) {
  f.each_row() -= arma::mean(f, 0);
  for (arma::uword k = 0; k < f.n_cols; ++k) {
    const double norm = arma::norm(f.col(k));
    if (norm > 0) f.col(k) /= norm;
  }
  return f;
}

/// How many of the rows are looked at, for so many columns in all.
std::size_t rows_used(std::size_t rows, std::size_t columns) {
  return std::min({rows, max_rows, std::max<std::size_t>(max_values / columns, 2)});
}

/// z and z² of every column, side by side (column d has features 2d and 2d + 1), in n evenly spaced rows, centred and
/// of unit length.
arma::mat features(const arma::mat& z, std::size_t n) {
  arma::mat f(n, 2 * z.n_cols);
  for (arma::uword d = 0; d < z.n_cols; ++d)
    for (std::size_t i = 0; i < n; ++i) {
      const double value = z(spaced_row(i, n, z.n_rows), d);
      f(i, 2 * d) = value;
      f(i, 2 * d + 1) = value * value;
    }
  return standardised(std::move(f));
}

/// An orthonormal basis of the columns' span.
arma::mat whitened(const arma::mat& f) {
  arma::mat u, v;
  arma::vec s;
  if (!arma::svd_econ(u, s, v, f, "left")) throw NumericalError("permutation test: the singular values failed");
  return u.cols(arma::find(s > 1e-10 * s.max()));
}

arma::mat permuted_rows(const arma::mat& f, RandomStream& stream) {
  const std::vector<std::size_t> order = permutation(f.n_rows, stream);
  arma::mat result(arma::size(f));
  for (arma::uword k = 0; k < f.n_cols; ++k)
    for (arma::uword i = 0; i < f.n_rows; ++i) result(i, k) = f(order[i], k);
  return result;
}

/// Every column of the data in an order of its own.
arma::mat permuted_columns(const arma::mat& f, RandomStream& stream) {
  arma::mat result(arma::size(f));
  for (arma::uword d = 0; d < f.n_cols; d += 2) {
    const arma::mat pair = f.cols(d, d + 1);
    result.cols(d, d + 1) = permuted_rows(pair, stream);
  }
  return result;
}

/// D×D: squared correlations between the features of two columns, summed.
arma::mat pair_statistics(const arma::mat& f) {
  const arma::mat c = arma::square(f.t() * f);
  const arma::uword d = f.n_cols / 2;
  arma::mat sums(d, d, arma::fill::zeros);
  for (arma::uword i = 0; i < d; ++i)
    for (arma::uword j = 0; j < d; ++j)
      if (i != j) sums(i, j) = arma::accu(c.submat(2 * i, 2 * j, 2 * i + 1, 2 * j + 1));
  return sums;
}

/// Statistic of each permutation: `permuted(stream)` draws one.
std::vector<double> draws(const MeasureOptions& options, const std::function<double(RandomStream&)>& permuted) {
  std::vector<double> values(options.permutations);
  parallel_for(values.size(), options.threads, [&](std::size_t b) {
    RandomStream stream(options.seed, Purpose::permutation, b);
    values[b] = permuted(stream);
  });
  return values;
}

double p_value(const std::vector<double>& values, double observed) {
  // Rounding must not tell a permutation that leaves the data as they are from the data.
  const double threshold = observed * (1 - 1e-12);
  const auto reached = std::count_if(values.begin(), values.end(), [&](double v) { return v >= threshold; });
  return static_cast<double>(1 + reached) / static_cast<double>(1 + values.size());
}

std::optional<double> group_p_value(const arma::mat& fx, const arma::mat& fy, const MeasureOptions& options) {
  const BlasGuard blas;
  const arma::mat x = whitened(fx), y = whitened(fy);
  // Features that span all rows explain any others: every permutation has the same statistic.
  if (std::max(x.n_cols, y.n_cols) + 1 >= x.n_rows) return std::nullopt;
  const auto statistic = [&](const arma::mat& rows) { return arma::accu(arma::square(x.t() * rows)); };
  return p_value(draws(options, [&](RandomStream& stream) { return statistic(permuted_rows(y, stream)); }),
                 statistic(y));
}

}  // namespace

std::optional<double> independence_p_value(const arma::mat& z, const MeasureOptions& options) {
  if (options.permutations == 0 || z.n_cols < 2) return std::nullopt;
  const arma::mat f = features(z, rows_used(z.n_rows, z.n_cols));
  const BlasGuard blas;
  const auto permuted = [&](RandomStream& stream) { return arma::accu(pair_statistics(permuted_columns(f, stream))); };
  return p_value(draws(options, permuted), arma::accu(pair_statistics(f)));
}

std::optional<double> independence_p_value(const arma::mat& x, const arma::mat& y, const MeasureOptions& options) {
  if (options.permutations == 0) return std::nullopt;
  const std::size_t n = rows_used(x.n_rows, x.n_cols + y.n_cols);
  return group_p_value(features(x, n), features(y, n), options);
}

std::optional<double> independence_p_value(const arma::mat& x, const arma::mat& y, const arma::mat& z,
                                           const MeasureOptions& options) {
  if (options.permutations == 0) return std::nullopt;
  const std::size_t n = rows_used(x.n_rows, x.n_cols + y.n_cols + z.n_cols);
  const BlasGuard blas;
  const arma::mat basis = whitened(features(z, n));
  // Columns first, their squares after: the squares of x themselves would still vary with z, and so would not permute.
  const auto residual = [&](const arma::mat& columns) {
    arma::mat rows(n, columns.n_cols);
    for (std::size_t i = 0; i < n; ++i) rows.row(i) = columns.row(spaced_row(i, n, columns.n_rows));
    rows = standardised(std::move(rows));
    rows -= basis * (basis.t() * rows);
    return features(rows, n);
  };
  return group_p_value(residual(x), residual(y), options);
}

arma::mat pairwise_p_values(const arma::mat& z, const MeasureOptions& options) {
  arma::mat p(z.n_cols, z.n_cols);
  p.fill(std::numeric_limits<double>::quiet_NaN());
  if (options.permutations == 0) return p;
  const arma::mat f = features(z, rows_used(z.n_rows, z.n_cols));
  const BlasGuard blas;
  const arma::mat observed = pair_statistics(f);
  std::vector<arma::mat> values(options.permutations);
  parallel_for(values.size(), options.threads, [&](std::size_t b) {
    RandomStream stream(options.seed, Purpose::permutation, b);
    values[b] = pair_statistics(permuted_columns(f, stream));
  });
  std::vector<double> pair(values.size());
  for (arma::uword i = 0; i < z.n_cols; ++i)
    for (arma::uword j = 0; j < z.n_cols; ++j) {
      if (i == j) continue;
      std::transform(values.begin(), values.end(), pair.begin(), [&](const arma::mat& v) { return v(i, j); });
      p(i, j) = p_value(pair, observed(i, j));
    }
  return p;
}

std::optional<double> same_distribution_p_value(const arma::mat& p, const arma::mat& q, const MeasureOptions& options) {
  if (options.permutations == 0) return std::nullopt;
  const arma::mat z = normal_scores(arma::join_cols(p, q), options, "divergence, both samples").z;
  constexpr arma::uword max_columns_with_products = 20;
  const arma::uword d = z.n_cols;
  arma::mat f = arma::join_rows(z, arma::square(z));
  if (d <= max_columns_with_products)
    for (arma::uword i = 0; i < d; ++i)
      for (arma::uword j = i + 1; j < d; ++j) f.insert_cols(f.n_cols, arma::vec(z.col(i) % z.col(j)));
  const BlasGuard blas;
  const arma::mat u = whitened(standardised(std::move(f)));
  if (u.n_cols + 1 >= u.n_rows) return std::nullopt;  // all rows are equally far from each other
  const arma::uword rows = p.n_rows;
  // u is centred, so the sum over p's rows alone decides the difference of the means.
  const double observed = arma::accu(arma::square(arma::sum(u.head_rows(rows), 0)));
  const auto permuted = [&](RandomStream& stream) {
    const std::vector<std::size_t> chosen = subsample(u.n_rows, rows, stream);
    arma::rowvec sum(u.n_cols, arma::fill::zeros);
    for (arma::uword k = 0; k < u.n_cols; ++k)
      for (const std::size_t i : chosen) sum[k] += u(i, k);
    return arma::accu(arma::square(sum));
  };
  return p_value(draws(options, permuted), observed);
}

}  // namespace gaussianize::detail
