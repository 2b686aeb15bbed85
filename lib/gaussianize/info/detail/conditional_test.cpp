#include "gaussianize/info/detail/conditional_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/independence_features.hpp"
#include "gaussianize/info/detail/permutation_p_value.hpp"
#include "gaussianize/info/detail/scores.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::size_t block_size = 8, min_rows = 30;

using Blocks = std::vector<std::vector<std::size_t>>;

/// Rows that are near each other, in blocks of block_size/2 … block_size rows: halves along the widest column, again
/// and again.
void add_blocks(const arma::mat& z, std::vector<std::size_t> rows, Blocks& blocks) {
  if (rows.size() <= block_size) {
    blocks.push_back(std::move(rows));
    return;
  }
  arma::uword widest = 0;
  double width = -1;
  for (arma::uword d = 0; d < z.n_cols; ++d) {
    double mean = 0, squares = 0;
    for (const std::size_t i : rows) mean += z(i, d) / static_cast<double>(rows.size());
    for (const std::size_t i : rows) squares += (z(i, d) - mean) * (z(i, d) - mean);
    if (squares > width) {
      width = squares;
      widest = d;
    }
  }
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(z(a, widest), a) < std::pair(z(b, widest), b);
  });
  add_blocks(z, {rows.begin(), middle}, blocks);
  add_blocks(z, {middle, rows.end()}, blocks);
}

Blocks near_rows(const arma::mat& z) {
  Blocks blocks;
  std::vector<std::size_t> all(z.n_rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  add_blocks(z, std::move(all), blocks);
  return blocks;
}

/// An order of all rows that moves each within its block.
std::vector<std::size_t> block_order(const Blocks& blocks, std::size_t rows, RandomStream& stream) {
  std::vector<std::size_t> order(rows);
  for (const std::vector<std::size_t>& block : blocks) {
    const std::vector<std::size_t> within = permutation(block.size(), stream);
    for (std::size_t i = 0; i < block.size(); ++i) order[block[i]] = block[within[i]];
  }
  return order;
}

/// Functions of z to regress on, centred; the longer one is, the less it is penalised. Scores, squares and cosines of
/// every column; for several columns also products of two, and cosines of random directions.
arma::mat regressors(const arma::mat& z, std::size_t max_count, RandomStream& stream) {
  const std::size_t count = std::clamp<std::size_t>(max_count / (3 * z.n_cols), 4, 12);
  arma::mat waves = cosines(z, count);
  for (arma::uword k = 0; k < waves.n_cols; ++k) waves.col(k) /= static_cast<double>(k % count + 1);
  arma::mat f = arma::join_rows(3 * location_and_scale(z), waves);
  if (z.n_cols == 1 || f.n_cols >= max_count) return f;
  const std::size_t max_products = (max_count - f.n_cols) / 4;
  arma::mat more(z.n_rows, 0);
  for (arma::uword j = 1; j < z.n_cols; ++j)
    for (arma::uword i = 0; i < j && more.n_cols < max_products; ++i)
      more.insert_cols(more.n_cols, arma::vec(z.col(i) % z.col(j)));
  f.insert_cols(f.n_cols, standardised(std::move(more)));
  arma::mat directions(z.n_rows, max_count - f.n_cols);
  for (arma::uword k = 0; k < directions.n_cols; ++k) {
    const double frequency = 0.5 + stream.uniform(), phase = 2 * arma::datum::pi * stream.uniform();
    directions.col(k) = arma::cos(frequency * (z * random_normal(z.n_cols, 1, stream)) + phase);
  }
  f.insert_cols(f.n_cols, 3 / std::sqrt(static_cast<double>(directions.n_cols)) * standardised(directions));
  return f;
}

/// Ridge regression on functions of z.
class Regression {
 public:
  explicit Regression(const arma::mat& f) {
    arma::mat v;
    if (!arma::svd_econ(u_, s_, v, f, "left"))
      throw NumericalError("conditional permutation test: the singular values failed");
    u_ = u_.cols(arma::find(s_ > 1e-8 * s_.max()));
    s_ = s_.head(u_.n_cols);
  }

  /// The fit of a centred column, and the mean square that it would leave of new rows. The penalty is a tenth of the
  /// one that generalised cross-validation chooses: what is left of z does more harm here than noise.
  std::pair<arma::vec, double> fit(const arma::vec& f) const {
    const arma::vec c = u_.t() * f;
    const auto n = static_cast<double>(f.n_elem);
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (double penalty = 1e-4; penalty < 1e3; penalty *= 3) {
      const arma::vec share = shares(penalty);
      const double left = arma::dot(f, f) - arma::accu((2 * share - arma::square(share)) % arma::square(c));
      const double score = left / n / std::pow(1 - arma::accu(share) / n, 2);
      if (score >= least) continue;
      least = score;
      best = penalty;
    }
    return {u_ * (shares(0.1 * best) % c), least};
  }

  arma::mat residuals(arma::mat f) const {
    for (arma::uword k = 0; k < f.n_cols; ++k) f.col(k) -= fit(f.col(k)).first;
    return f;
  }

 private:
  arma::vec shares(double penalty) const { return arma::square(s_) / (arma::square(s_) + penalty); }

  arma::mat u_;
  arma::vec s_;
};

/// Normal scores of the residuals of columns, each divided by the spread that its square's regression predicts.
arma::mat residual_scores(const arma::mat& columns, const Regression& regression) {
  arma::mat r = regression.residuals(standardised(columns));
  for (arma::uword d = 0; d < r.n_cols; ++d) {
    const arma::vec square = arma::square(r.col(d));
    const double mean = arma::mean(square);
    arma::vec variance = mean + regression.fit(square - mean).first;
    variance.clamp(0.1 * mean, 10 * mean);
    r.col(d) /= arma::sqrt(variance);
    const arma::uvec rank = ranks(r.col(d));
    for (arma::uword i = 0; i < r.n_rows; ++i)
      r(i, d) = normal_quantile((static_cast<double>(rank[i]) + 0.5) / static_cast<double>(r.n_rows));
  }
  return r;
}

/// The largest share of a column's variance about its linear regression on z that a curved one explains.
double curved_share(const arma::mat& columns, const arma::mat& z, const Regression& regression) {
  const arma::mat basis = whitened(standardised(z));
  double largest = 0;
  for (arma::uword d = 0; d < columns.n_cols; ++d) {
    const arma::vec column = standardised(columns.col(d));
    const arma::vec straight = column - basis * (basis.t() * column);
    const double left = regression.fit(column).second * static_cast<double>(column.n_elem);
    largest = std::max(largest, 1 - left / arma::dot(straight, straight));
  }
  return largest;
}

/// The products of each column with 1 and with every column of h.
arma::mat crossed(const arma::mat& f, const arma::mat& h) {
  arma::mat result(f.n_rows, f.n_cols * h.n_cols);
  for (arma::uword k = 0; k < h.n_cols; ++k)
    for (arma::uword j = 0; j < f.n_cols; ++j) result.col(k * f.n_cols + j) = f.col(j) % h.col(k);
  return result;
}

}  // namespace

std::optional<double> independence_p_value(const arma::mat& x, const arma::mat& y, const arma::mat& z,
                                           const MeasureOptions& options) {
  if (options.permutations == 0) return std::nullopt;
  const std::size_t n = rows_used(x.n_rows, x.n_cols + y.n_cols + z.n_cols);
  if (n < min_rows || 2 * std::max(x.n_cols, y.n_cols) + 1 >= n) return std::nullopt;
  const BlasGuard blas;
  const arma::mat rows_x = spaced_rows(x, n), rows_y = spaced_rows(y, n), given = spaced_rows(z, n);
  RandomStream features(options.seed, Purpose::feature);
  const Regression regression(regressors(given, std::min<std::size_t>(n / 3, 120), features));
  // What a regression on several columns leaves of curved functions would pass for dependence.
  constexpr double max_curved_share = 0.25;
  const auto curved = [&](const arma::mat& columns) { return curved_share(columns, given, regression); };
  if (z.n_cols > 1 && std::min(curved(rows_x), curved(rows_y)) > max_curved_share) return std::nullopt;

  const arma::mat h = std::sqrt(static_cast<double>(n)) * group_features(given, 4 * z.n_cols, features);
  constexpr double work = 40e6;
  const double count = std::clamp(std::sqrt(work / static_cast<double>(n * (1 + h.n_cols))), 4.0, 40.0);
  const auto group = [&](const arma::mat& columns) {
    const arma::mat r = residual_scores(columns, regression);
    const auto left = [&](arma::mat f) { return standardised(regression.residuals(standardised(std::move(f)))); };
    return GroupFeatures{whitened(left(r)), whitened(left(arma::square(r))),
                         left(group_features(r, static_cast<std::size_t>(count), features))};
  };
  const GroupFeatures fx = group(rows_x), fy = group(rows_y);
  const arma::mat with_z = crossed(fx.further, h), of_y = fy.side_by_side();
  const auto statistics = [&](const arma::mat& of_y_permuted) {
    const arma::mat c = arma::square(with_z.t() * of_y_permuted.tail_cols(fy.further.n_cols));
    return arma::vec(arma::join_cols(group_statistics(fx, of_y_permuted, fy), arma::vec{arma::accu(c), c.max()}));
  };
  arma::vec handicaps(7, arma::fill::zeros);
  handicaps.tail(4).fill(further_handicap);
  const Blocks blocks = near_rows(given);
  return permutation_p_value(statistics(of_y), handicaps, options, [&](RandomStream& stream) {
    return statistics(reordered(of_y, {block_order(blocks, n, stream)}));
  });
}

}  // namespace gaussianize::detail
