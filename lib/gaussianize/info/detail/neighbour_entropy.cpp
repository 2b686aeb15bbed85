#include <algorithm>
#include <cmath>
#include <numbers>

#include "gaussianize/info/detail/entropy_methods.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::size_t neighbours = 4;
/// Rows share neighbours, so their noise does not average out as that of independent values would: N times the variance
/// of the mean exceeds the variance of the values by this much, measured on uniform data.
constexpr double shared_noise = 0.19;

/// Half the distance, which does not overflow.
double half_distance(double from, double to) {
  return 0.5 * to - 0.5 * from;
}

/// The pair of rows, one of them i, whose distance is that of row i to its k-th nearest other row: the closest, over
/// how many of the k lie below, of the farther of the two outermost.
struct Pair {
  std::size_t low, high;
};

Pair kth_neighbour(const SortedColumn& column, std::size_t i, std::size_t k) {
  const std::size_t above_all = column.size() - 1 - i;
  Pair best{i, i};
  double best_distance = HUGE_VAL;
  for (std::size_t below = k > above_all ? k - above_all : 0; below <= std::min(k, i); ++below) {
    const std::size_t low = i - below;
    const std::size_t high = i + k - below;
    const double down = half_distance(column.x[low], column.x[i]);
    const double up = half_distance(column.x[i], column.x[high]);
    if (std::max(down, up) >= best_distance) continue;
    best_distance = std::max(down, up);
    best = down > up ? Pair{low, i} : Pair{i, high};
  }
  return best;
}

/// Row i and the nearest row of another value.
Pair nearest_other_value(const SortedColumn& column, std::size_t i) {
  const std::size_t first = column.first_equal(i);
  const std::size_t after = column.after_equal(i);
  if (first == 0) return {i, after};
  if (after == column.size()) return {first - 1, i};
  return half_distance(column.x[first - 1], column.x[i]) < half_distance(column.x[i], column.x[after])
             ? Pair{first - 1, i}
             : Pair{i, after};
}

/// Twice the number of neighbours that the distance of `pair` stands for: rows within it, those right on it counting
/// half, as the k-th would count 1 by itself.
std::size_t twice_neighbours(const SortedColumn& column, std::size_t i, const Pair& pair) {
  const double reach = half_distance(column.x[pair.low], column.x[pair.high]);
  const auto begin = column.x.begin();
  const auto middle = begin + static_cast<std::ptrdiff_t>(i);
  const auto down = [&](double x) { return half_distance(x, column.x[i]); };
  const auto up = [&](double x) { return half_distance(column.x[i], x); };
  const auto low_on = std::partition_point(begin, middle, [&](double x) { return down(x) > reach; });
  const auto low_in = std::partition_point(low_on, middle, [&](double x) { return down(x) >= reach; });
  const auto high_in = std::partition_point(middle, column.x.end(), [&](double x) { return up(x) < reach; });
  const auto high_on = std::partition_point(high_in, column.x.end(), [&](double x) { return up(x) <= reach; });
  const auto inside = high_in - low_in - 1;
  const auto on = (low_in - low_on) + (high_on - high_in);
  return static_cast<std::size_t>(2 * inside + on + 1);
}

}  // namespace

arma::vec nearest_neighbour_values(const SortedColumn& column) {
  const std::size_t n = column.size();
  const std::size_t k = std::min(neighbours, n - 1);
  const std::vector<double> digamma = half_integer_digamma(2 * n + 2);
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    Pair pair = kth_neighbour(column, i, k);
    std::size_t twice = 2 * k;
    if (column.ties > 0) {
      if (column.x[pair.low] == column.x[pair.high]) pair = nearest_other_value(column, i);
      twice = twice_neighbours(column, i, pair);
    }
    values[i] =
        log_distance(column.x[pair.low], column.x[pair.high]) + std::numbers::ln2 - digamma[twice] + digamma[2 * n];
  }
  arma::vec result = column.in_row_order(values);
  const double mean = arma::mean(result);
  const double variance = arma::var(result);
  return variance > 0 ? arma::vec(mean + (result - mean) * std::sqrt(1 + shared_noise / variance)) : result;
}

}  // namespace gaussianize::detail
