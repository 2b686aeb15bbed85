#include "gaussianize/info/detail/nearest_neighbour.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <boost/math/special_functions/digamma.hpp>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::detail {
namespace {

/// A balanced k-d tree over rows kept as contiguous points: node [begin, end) is split at its median along its widest
/// column. Not nanoflann's: it has no largest-coordinate distance, and with one added it took half the time for ten
/// columns but twice as long for two, where neighbours are looked for most often.
class Tree {
 public:
  explicit Tree(const arma::mat& x) : points_(x.t()), order_(x.n_rows) {
    std::iota(order_.begin(), order_.end(), arma::uword{0});
    build(0, order_.size());
  }

  /// To the k-th nearest row other than `except`.
  double distance(const double* point, std::size_t k, arma::uword except) const {
    std::vector<double> nearest(k, HUGE_VAL);  // increasing
    search(point, except, 0, order_.size(), 0, nearest);
    return nearest.back();
  }

  /// How many rows are closer than `radius`.
  std::size_t count(const double* point, double radius) const { return count(point, radius, 0, order_.size(), 0); }

 private:
  static constexpr std::size_t leaf_rows = 12;
  struct Split {
    arma::uword column = 0;
    double value = 0.0;
    std::size_t nodes = 1;  ///< of the subtree: where the right child is
  };

  std::size_t build(std::size_t begin, std::size_t end) {
    const std::size_t index = splits_.size();
    splits_.push_back({});
    if (end - begin <= leaf_rows) return 1;
    Split split;
    double widest = -1;
    for (arma::uword d = 0; d < points_.n_rows; ++d) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (std::size_t i = begin; i < end; ++i) {
        low = std::min(low, points_(d, order_[i]));
        high = std::max(high, points_(d, order_[i]));
      }
      if (high - low > widest) {
        widest = high - low;
        split.column = d;
      }
    }
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](arma::uword a, arma::uword b) {
      return points_(split.column, a) != points_(split.column, b) ? points_(split.column, a) < points_(split.column, b)
                                                                  : a < b;
    });
    split.value = points_(split.column, order_[middle]);
    split.nodes += build(begin, middle);
    split.nodes += build(middle, end);
    splits_[index] = split;
    return split.nodes;
  }

  void search(const double* point, arma::uword except, std::size_t begin, std::size_t end, std::size_t node,
              std::vector<double>& nearest) const {
    if (end - begin <= leaf_rows) {
      for (std::size_t i = begin; i < end; ++i)
        if (order_[i] != except) insert(point, points_.colptr(order_[i]), nearest);
      return;
    }
    const Split& split = splits_[node];
    const std::size_t middle = begin + (end - begin) / 2;
    const std::size_t left = node + 1, right = left + splits_[left].nodes;
    const double offset = point[split.column] - split.value;
    if (offset < 0) {
      search(point, except, begin, middle, left, nearest);
      if (-offset <= nearest.back()) search(point, except, middle, end, right, nearest);
    } else {
      search(point, except, middle, end, right, nearest);
      if (offset <= nearest.back()) search(point, except, begin, middle, left, nearest);
    }
  }

  std::size_t count(const double* point, double radius, std::size_t begin, std::size_t end, std::size_t node) const {
    if (end - begin <= leaf_rows) {
      std::size_t found = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double* const row = points_.colptr(order_[i]);
        double distance = 0;
        for (arma::uword d = 0; d < points_.n_rows && distance < radius; ++d)
          distance = std::max(distance, std::abs(point[d] - row[d]));
        if (distance < radius) ++found;
      }
      return found;
    }
    const Split& split = splits_[node];
    const std::size_t middle = begin + (end - begin) / 2;
    const std::size_t left = node + 1, right = left + splits_[left].nodes;
    const double offset = point[split.column] - split.value;
    // Both halves hold rows on the split itself.
    return (offset - radius <= 0 ? count(point, radius, begin, middle, left) : 0) +
           (offset + radius >= 0 ? count(point, radius, middle, end, right) : 0);
  }

  void insert(const double* a, const double* b, std::vector<double>& nearest) const {
    double distance = 0;
    for (arma::uword d = 0; d < points_.n_rows && distance < nearest.back(); ++d)
      distance = std::max(distance, std::abs(a[d] - b[d]));
    if (distance >= nearest.back()) return;
    std::size_t i = nearest.size() - 1;
    for (; i > 0 && nearest[i - 1] > distance; --i) nearest[i] = nearest[i - 1];
    nearest[i] = distance;
  }

  arma::mat points_;
  std::vector<arma::uword> order_;
  std::vector<Split> splits_;
};

/// Rows of a sorted column closer to `value` than the distance, itself included.
std::size_t within(const double* sorted, std::size_t n, double value, double distance) {
  const double* const last = sorted + n;
  const double* const begin = std::upper_bound(sorted, last, value - distance);
  const double* const end = std::lower_bound(begin, last, value + distance);
  return end > begin ? static_cast<std::size_t>(end - begin) : 1;
}

arma::vec tree_distances(const arma::mat& x, const arma::mat& from, std::size_t k, bool skip_self, int threads) {
  const Tree tree(x);
  const arma::mat points = from.t();
  arma::vec distance(from.n_rows);
  parallel_for(block_count(from.n_rows), threads, [&](std::size_t b) {
    const RowRange range = block_range(b, from.n_rows);
    for (std::size_t i = range.begin; i < range.end; ++i)
      distance[i] = tree.distance(points.colptr(i), k, skip_self ? i : x.n_rows);
  });
  return distance;
}

}  // namespace

arma::vec neighbour_distances(const arma::mat& x, std::size_t k, int threads) {
  require(k >= 1 && k < x.n_rows, "nearest neighbours: neighbour ", k, " of ", x.n_rows,
          " rows; it must be at least 1 and less than the number of rows");
  return tree_distances(x, x, k, true, threads);
}

arma::vec neighbour_distances(const arma::mat& x, const arma::mat& from, std::size_t k, int threads) {
  require(k >= 1 && k <= x.n_rows, "nearest neighbours: neighbour ", k, " of ", x.n_rows,
          " rows; it must be at least 1 and at most the number of rows");
  return tree_distances(x, from, k, false, threads);
}

arma::vec neighbour_information(const Scores& scores, std::size_t k, int threads) {
  const arma::vec distance = neighbour_distances(scores.z, k, threads);
  const arma::mat sorted = arma::sort(scores.z);
  arma::vec digamma(scores.rows() + 1);
  for (arma::uword i = 1; i < digamma.n_elem; ++i) digamma[i] = boost::math::digamma(static_cast<double>(i));
  arma::vec terms(scores.rows());
  parallel_for(block_count(scores.rows()), threads, [&](std::size_t b) {
    const RowRange range = block_range(b, scores.rows());
    for (std::size_t i = range.begin; i < range.end; ++i) {
      terms[i] = digamma[k] + static_cast<double>(scores.columns() - 1) * digamma[scores.rows()];
      for (std::size_t d = 0; d < scores.columns(); ++d)
        terms[i] -= digamma[within(sorted.colptr(d), sorted.n_rows, scores.z(i, d), distance[i])];
    }
  });
  return terms;
}

arma::vec neighbour_information(const Scores& x, const Scores& y, std::size_t k, int threads) {
  const std::size_t n = x.rows();
  const arma::vec distance = neighbour_distances(arma::join_rows(x.z, y.z), k, threads);
  const Tree of_x(x.z), of_y(y.z);
  const arma::mat points_x = x.z.t(), points_y = y.z.t();
  const auto psi = [](std::size_t count) { return boost::math::digamma(static_cast<double>(count)); };
  const double constant = psi(k) + psi(n);
  arma::vec terms(n);
  parallel_for(block_count(n), threads, [&](std::size_t b) {
    const RowRange range = block_range(b, n);
    for (std::size_t i = range.begin; i < range.end; ++i)  // a count holds the row itself
      terms[i] = constant - psi(std::max<std::size_t>(1, of_x.count(points_x.colptr(i), distance[i]))) -
                 psi(std::max<std::size_t>(1, of_y.count(points_y.colptr(i), distance[i])));
  });
  return terms;
}

}  // namespace gaussianize::detail
