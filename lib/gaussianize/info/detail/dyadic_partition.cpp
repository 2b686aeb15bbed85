#include "gaussianize/info/detail/dyadic_partition.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/gamma.hpp>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::size_t tree_count = 16, max_depth = 24, min_rows = 4;

/// Which half of its box at `depth` a value lies in, where `halvings` halvings of its column went before.
bool in_upper_half(double u, std::size_t halvings) {
  return std::fmod(std::ldexp(u, static_cast<int>(halvings)), 1.0) >= 0.5;
}

/// How often the column of this depth was halved before.
std::size_t halvings_before(std::size_t depth, std::size_t columns) {
  return depth / columns;
}

/// log of the probability of k and m rows in two halves, their share Beta(½, ½), and of 2^(k + m) for the halves'
/// density.
double log_split(double k, double m) {
  const auto lg = [](double x) { return boost::math::lgamma(x); };
  return lg(k + 0.5) + lg(m + 0.5) - lg(k + m + 1) - std::log(std::numbers::pi) + (k + m) * std::numbers::ln2;
}

/// By how much the boxes that the first cuts make raise the log likelihood: Σ n_c log(n_c/(N v_c)).
class FirstCuts {
 public:
  explicit FirstCuts(const arma::mat& u) : u_(u), cuts_(u.n_cols, arma::fill::value(0.5)), box_(u.n_rows) {}

  arma::rowvec best() {
    constexpr int sweeps = 2, steps = 10;
    constexpr double widest = 1.5;      // how far cuts are moved, in units of 1/√N, three standard errors of a median
    constexpr double least_gain = 5.0;  // nats: a cut at the median is what ranks suggest, and others follow from it
    const double step = widest / (std::sqrt(static_cast<double>(u_.n_rows)) * steps);
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (arma::uword d = 0; d < u_.n_cols; ++d) {
        fill_boxes(d);
        double best = log_likelihood(d, 0.5) + least_gain, where = 0.5;
        for (int k = -steps; k <= steps; ++k) {
          const double cut = 0.5 + k * step, value = log_likelihood(d, cut);
          if (value > best) best = value, where = cut;
        }
        cuts_[d] = where;
      }
    return cuts_;
  }

 private:
  /// The box of every row by the cuts of all columns but d.
  void fill_boxes(arma::uword d) {
    box_.zeros();
    for (arma::uword e = 0; e < u_.n_cols; ++e)
      for (arma::uword i = 0; i < u_.n_rows; ++i) box_[i] = 2 * box_[i] + (e != d && u_(i, e) >= cuts_[e] ? 1 : 0);
  }

  double log_likelihood(arma::uword d, double cut) const {
    const arma::uword bit = u_.n_cols - 1 - d;
    arma::vec count(arma::uword{1} << u_.n_cols, arma::fill::zeros);
    for (arma::uword i = 0; i < u_.n_rows; ++i) ++count[box_[i] | (u_(i, d) >= cut ? arma::uword{1} << bit : 0)];
    double sum = 0;
    for (arma::uword box = 0; box < count.n_elem; ++box) {
      if (count[box] == 0) continue;
      double volume = 1;
      for (arma::uword e = 0; e < u_.n_cols; ++e) {
        const double at = e == d ? cut : cuts_[e];
        volume *= (box >> (u_.n_cols - 1 - e)) & 1 ? 1 - at : at;
      }
      sum += count[box] * std::log(count[box] / (static_cast<double>(u_.n_rows) * volume));
    }
    return sum;
  }

  const arma::mat& u_;
  arma::rowvec cuts_;
  arma::uvec box_;
};

/// Columns stretched piecewise so that their cuts come to ½; the log of the slopes is added to log_slope.
arma::mat stretched(arma::mat u, const arma::rowvec& cuts, arma::vec* log_slope) {
  for (arma::uword d = 0; d < u.n_cols; ++d)
    for (arma::uword i = 0; i < u.n_rows; ++i) {
      const bool up = u(i, d) >= cuts[d];
      const double slope = 0.5 / (up ? 1 - cuts[d] : cuts[d]);
      u(i, d) = up ? 0.5 + slope * (u(i, d) - cuts[d]) : slope * u(i, d);
      if (log_slope) (*log_slope)[i] += std::log(slope);
    }
  return u;
}

double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return larger + std::log(std::exp(a - larger) + std::exp(b - larger));
}

}  // namespace

/// The log evidence of a box's rows, density 1 on the box being 0.
double DyadicPartition::grow(Tree& tree, const arma::mat& u, std::vector<arma::uword>& rows, std::size_t begin,
                             std::size_t end, std::size_t depth, std::size_t box) {
  if (end - begin < min_rows || depth >= max_depth) return 0.0;
  const arma::uword column = tree.order[depth % tree.order.size()];
  const std::size_t halvings = halvings_before(depth, tree.order.size());
  const auto first = rows.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto middle = std::partition(first, rows.begin() + static_cast<std::ptrdiff_t>(end),
                                     [&](arma::uword row) { return !in_upper_half(u(row, column), halvings); });
  const std::size_t cut = begin + static_cast<std::size_t>(middle - first);
  const auto lower = static_cast<double>(cut - begin), upper = static_cast<double>(end - cut);
  tree.boxes[box].upper = (upper + 0.5) / (lower + upper + 1);
  double split = log_split(lower, upper);
  const std::size_t bounds[] = {begin, cut, end};
  for (const std::size_t half : {std::size_t{0}, std::size_t{1}}) {
    const std::size_t child = tree.boxes.size();
    tree.boxes[box].children[half] = child;
    tree.boxes.emplace_back();
    split += grow(tree, u, rows, bounds[half], bounds[half + 1], depth + 1, child);
  }
  const double evidence = log_sum(0.0, split) - std::numbers::ln2;
  tree.boxes[box].keep = std::exp(-std::numbers::ln2 - evidence);
  return evidence;
}

double DyadicPartition::density(const Tree& tree, const arma::mat& u, arma::uword row) {
  double result = 0, reached = 1,
         here = 1;  // `reached`: the probability of going on so far; `here`: density in the box
  std::size_t box = 0;
  for (std::size_t depth = 0;; ++depth) {
    const Box& b = tree.boxes[box];
    if (b.children[0] == 0) return result + reached * here;
    result += reached * b.keep * here;
    reached *= 1 - b.keep;
    const bool up =
        in_upper_half(u(row, tree.order[depth % tree.order.size()]), halvings_before(depth, tree.order.size()));
    here *= 2 * (up ? b.upper : 1 - b.upper);
    box = b.children[up ? 1 : 0];
  }
}

DyadicPartition::DyadicPartition(const arma::mat& rows_in, Seed seed, int threads)
    : cuts_(FirstCuts(rows_in).best()), trees_(tree_count), weights_(tree_count) {
  const arma::mat u = stretched(rows_in, cuts_, nullptr);
  parallel_for(tree_count, threads, [&](std::size_t t) {
    Tree& tree = trees_[t];
    RandomStream stream(seed, Purpose::partition, t);
    for (const std::size_t column : permutation(u.n_cols, stream)) tree.order.push_back(column);
    std::vector<arma::uword> rows(u.n_rows);
    for (arma::uword i = 0; i < u.n_rows; ++i) rows[i] = i;
    tree.boxes.emplace_back();
    tree.log_evidence = grow(tree, u, rows, 0, rows.size(), 0, 0);
  });
  double largest = trees_.front().log_evidence, sum = 0;
  for (const Tree& tree : trees_) largest = std::max(largest, tree.log_evidence);
  for (std::size_t t = 0; t < tree_count; ++t) sum += weights_[t] = std::exp(trees_[t].log_evidence - largest);
  for (double& weight : weights_) weight /= sum;
}

arma::vec DyadicPartition::log_density(const arma::mat& rows_in, int threads) const {
  arma::vec result(rows_in.n_rows, arma::fill::zeros);
  const arma::mat u = stretched(rows_in, cuts_, &result);
  parallel_for(block_count(u.n_rows), threads, [&](std::size_t b) {
    const RowRange range = block_range(b, u.n_rows);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      double sum = 0;
      for (std::size_t t = 0; t < trees_.size(); ++t) sum += weights_[t] * density(trees_[t], u, i);
      result[i] += std::log(sum);
    }
  });
  return result;
}

}  // namespace gaussianize::detail
