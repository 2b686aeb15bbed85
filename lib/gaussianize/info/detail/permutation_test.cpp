#include "gaussianize/info/detail/permutation_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/info/detail/independence_features.hpp"
#include "gaussianize/info/detail/permutation_p_value.hpp"

namespace gaussianize::detail {
namespace {

/// Multiplications of one permutation that products of columns, and that pairs of features, may cost.
constexpr std::size_t product_work = 3'000'000, pair_work = 20'000'000;

/// Squared products of the columns of f, each column with the ones of other columns of the data, which have `width`
/// columns of f each; those of one pair stand together. Upper triangle by blocks, the rest zero.
arma::mat squared_pairs(const arma::mat& f, arma::uword width) {
  arma::mat c = arma::square(f.t() * f);
  for (arma::uword k = 0; k < c.n_cols; ++k) c.col(k).tail(c.n_rows - k / width * width).zeros();
  return c;
}

/// Π 1/j of every two cosines.
arma::mat pair_weights(std::size_t columns, std::size_t count) {
  arma::vec w(columns * count);
  for (arma::uword k = 0; k < w.n_elem; ++k) w[k] = 1.0 / static_cast<double>(k % count + 1);
  return w * w.t();
}

/// What the test of all columns looks at.
struct JointFeatures {
  arma::mat simple, waves;  ///< location and scale; cosines
  std::size_t count = 0;    ///< cosines of a column
  arma::mat weights;
  std::vector<Product> higher;  ///< products of three and more columns
};

JointFeatures joint_features(const arma::mat& z, const MeasureOptions& options) {
  constexpr std::size_t min_count = 2, max_count = 6, min_products = 1000;
  JointFeatures f;
  f.simple = location_and_scale(z);
  const double count = std::sqrt(static_cast<double>(pair_work / z.n_rows)) / static_cast<double>(z.n_cols);
  f.count = std::clamp(static_cast<std::size_t>(count), min_count, max_count);
  f.waves = cosines(z, f.count);
  f.weights = pair_weights(z.n_cols, f.count);
  RandomStream stream(options.seed, Purpose::feature);
  // All triples of first cosines, with as many others, if the work allows it.
  const std::size_t d = z.n_cols, wanted = std::max(min_products, 2 * (d * (d - 1) * (d - 2) / 6) + 1);
  f.higher = products(d, f.count, 3, std::min<std::size_t>(wanted, product_work / z.n_rows), z.n_rows, stream);
  return f;
}

/// Of pairs, sums of squares: location with location, scale with scale, one with the other, cosines; and the largest of
/// cosines. Of products of three and more cosines, their sum and the largest.
arma::vec joint_statistics(const JointFeatures& f, const arma::mat& simple, const arma::mat& waves) {
  const arma::mat pairs = squared_pairs(simple, 2), cosine_pairs = squared_pairs(waves, f.count);
  double location = 0, scale = 0;
  for (arma::uword j = 2; j < pairs.n_cols; j += 2)
    for (arma::uword i = 0; i < j; i += 2) {
      location += pairs(i, j);
      scale += pairs(i + 1, j + 1);
    }
  const arma::vec statistics{location, scale, arma::accu(pairs) - location - scale,
                             arma::accu(cosine_pairs % f.weights), cosine_pairs.max()};
  if (f.higher.empty()) return statistics;
  const arma::vec sums = arma::square(standardised_sums(f.higher, waves));
  double weighted = 0;
  for (std::size_t m = 0; m < f.higher.size(); ++m) weighted += f.higher[m].weight * sums[m];
  return arma::join_cols(statistics, arma::vec{weighted, sums.max()});
}

/// Nearly standard normal for χ² of so many degrees of freedom: Wilson's and Hilferty's cube root.
double cube_root_score(double chi_squared, double degrees) {
  const double variance = 2 / (9 * degrees);
  return (std::cbrt(chi_squared / degrees) - (1 - variance)) / std::sqrt(variance);
}

constexpr std::size_t pair_cosines = 4;

/// D×D, upper triangle: the largest of four scores of a pair, for location, for scale, for one with the other, and for
/// cosines, the last handicapped. No score depends on other pairs.
arma::mat pair_scores(const arma::mat& simple, const arma::mat& waves) {
  const arma::mat c = squared_pairs(simple, 2), w = squared_pairs(waves, pair_cosines);
  constexpr double dimensions = pair_cosines * pair_cosines;
  const auto degrees = static_cast<double>(simple.n_rows - 1);
  arma::mat scores(simple.n_cols / 2, simple.n_cols / 2, arma::fill::zeros);
  for (arma::uword j = 1; j < scores.n_cols; ++j)
    for (arma::uword i = 0; i < j; ++i) {
      double cosine = 0;
      for (arma::uword k = 0; k < pair_cosines * pair_cosines; ++k)
        cosine += w(pair_cosines * i + k % pair_cosines, pair_cosines * j + k / pair_cosines);
      const double location = c(2 * i, 2 * j), scale = c(2 * i + 1, 2 * j + 1);
      const double crossed = c(2 * i, 2 * j + 1) + c(2 * i + 1, 2 * j);
      scores(i, j) = std::max({cube_root_score(degrees * location, 1), cube_root_score(degrees * scale, 1),
                               cube_root_score(degrees * crossed, 2),
                               cube_root_score(degrees * cosine, dimensions) - further_handicap});
    }
  return scores;
}

}  // namespace

std::optional<double> independence_p_value(const arma::mat& z, const MeasureOptions& options) {
  if (options.permutations == 0 || z.n_cols < 2) return std::nullopt;
  const BlasGuard blas;
  const JointFeatures f = joint_features(spaced_rows(z, rows_used(z.n_rows, z.n_cols)), options);
  const arma::vec observed = joint_statistics(f, f.simple, f.waves);
  arma::vec handicaps(observed.n_elem, arma::fill::zeros);
  handicaps.tail(handicaps.n_elem - 3).fill(further_handicap);
  return permutation_p_value(observed, handicaps, options, [&](RandomStream& stream) {
    const Orders orders = random_orders(z.n_cols, f.simple.n_rows, stream);
    return joint_statistics(f, reordered(f.simple, orders), reordered(f.waves, orders));
  });
}

std::optional<double> independence_p_value(const arma::mat& x, const arma::mat& y, const MeasureOptions& options) {
  if (options.permutations == 0) return std::nullopt;
  const BlasGuard blas;
  const std::size_t n = rows_used(x.n_rows, x.n_cols + y.n_cols);
  constexpr double max_count = 150;
  const auto count = static_cast<std::size_t>(std::min(max_count, std::sqrt(static_cast<double>(pair_work / n))));
  // Functions that span all rows explain any others: every permutation has the same statistic.
  if (2 * std::max(x.n_cols, y.n_cols) + 1 >= n) return std::nullopt;
  RandomStream features(options.seed, Purpose::feature);
  const auto group = [&](const arma::mat& columns) {
    const arma::mat z = spaced_rows(columns, n);
    return GroupFeatures{whitened(standardised(z)), whitened(standardised(arma::square(z))),
                         group_features(z, count, features)};
  };
  const GroupFeatures fx = group(x), fy = group(y);
  const arma::mat of_y = fy.side_by_side();
  return permutation_p_value(
      group_statistics(fx, of_y, fy), {0, 0, 0, further_handicap, further_handicap}, options,
      [&](RandomStream& stream) { return group_statistics(fx, reordered(of_y, random_orders(1, n, stream)), fy); });
}

arma::mat pairwise_p_values(const arma::mat& z, const MeasureOptions& options) {
  arma::mat p(z.n_cols, z.n_cols);
  p.fill(std::numeric_limits<double>::quiet_NaN());
  if (options.permutations == 0) return p;
  const arma::mat rows = spaced_rows(z, rows_used(z.n_rows, z.n_cols));
  const arma::mat simple = location_and_scale(rows), waves = cosines(rows, pair_cosines);
  const BlasGuard blas;
  const arma::mat threshold = pair_scores(simple, waves) - 1e-9;
  arma::umat reached(z.n_cols, z.n_cols, arma::fill::ones);  // the data count themselves
  std::mutex adding;
  parallel_for(options.permutations, options.threads, [&](std::size_t b) {
    RandomStream stream(options.seed, Purpose::permutation, b);
    const Orders orders = random_orders(z.n_cols, rows.n_rows, stream);
    const arma::umat more = pair_scores(reordered(simple, orders), reordered(waves, orders)) >= threshold;
    const std::scoped_lock lock(adding);
    reached += more;
  });
  for (arma::uword j = 1; j < z.n_cols; ++j)
    for (arma::uword i = 0; i < j; ++i)
      p(i, j) = p(j, i) = static_cast<double>(reached(i, j)) / static_cast<double>(1 + options.permutations);
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
    return arma::vec{arma::accu(arma::square(sum))};
  };
  return permutation_p_value({observed}, {0}, options, permuted);
}

}  // namespace gaussianize::detail
