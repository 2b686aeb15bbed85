#include "gaussianize/info/detail/entropy_methods.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "gaussianize/marginal/bandwidth.hpp"
#include "gaussianize/marginal/kde.hpp"

namespace gaussianize::detail {
namespace {

/// log(to − from) for finite from < to, where the difference itself may overflow.
double log_distance(double from, double to) {
  const double distance = to - from;
  return distance <= std::numeric_limits<double>::max() ? std::log(distance)
                                                        : std::log(0.5 * to - 0.5 * from) + std::numbers::ln2;
}

/// ψ at the half-integers: table[k] = ψ(k/2) for k = 1 … count; table[0] is not used. By recurrence, right to 1e-12 for
/// a million rows: Boost's digamma for every entry takes 15 times as long, more than the sorting of the rows.
std::vector<double> half_integer_digamma(std::size_t count) {
  std::vector<double> table(std::max<std::size_t>(count, 2) + 1);
  table[1] = -std::numbers::egamma - 2 * std::numbers::ln2;
  table[2] = -std::numbers::egamma;
  for (std::size_t k = 3; k < table.size(); ++k) table[k] = table[k - 2] + 2.0 / static_cast<double>(k - 2);
  return table;
}

/// The ends of row i's window, at most `reach` ranks to either side.
struct Window {
  std::size_t low, high;
};

Window window(const SortedColumn& column, std::size_t i, std::size_t reach) {
  const std::size_t n = column.size();
  const std::size_t from_end = std::min(i, n - 1 - i) + 1;
  const std::size_t r = std::min(reach, std::max<std::size_t>(1, from_end / 4));
  Window w{i < r ? 0 : i - r, std::min(i + r, n - 1)};
  if (column.x[w.low] != column.x[w.high]) return w;
  // All tied: out to the neighbouring values on either side.
  const std::size_t first = column.first_equal(i);
  const std::size_t after = column.after_equal(i);
  return {first > 0 ? first - 1 : first, after < n ? after : n - 1};
}

/// (E1) for every row, in increasing order. The ranks that a window spans are counted between the mid-ranks of its
/// ends, so that tied rows count half to either side.
std::vector<double> windows(const SortedColumn& column, std::size_t reach, const std::vector<double>& digamma) {
  std::vector<double> h(column.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const Window w = window(column, i, reach);
    const double ranks = column.mid_rank[w.high] - column.mid_rank[w.low];
    h[i] = log_distance(column.x[w.low], column.x[w.high]) - digamma[static_cast<std::size_t>(2 * ranks + 0.5)];
  }
  return h;
}

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

/// The column in units of 2^exponent, which are exact and in which the squares of its values neither over- nor
/// underflow.
struct Scaled {
  std::vector<double> x;
  double log_unit;
};

Scaled scaled(const SortedColumn& column) {
  const int exponent = std::ilogb(std::max(std::abs(column.x.front()), std::abs(column.x.back())));
  Scaled result{column.x, exponent * std::numbers::ln2};
  for (double& value : result.x) value = std::ldexp(value, -exponent);
  return result;
}

}  // namespace

arma::vec spacing_values(const SortedColumn& column) {
  const std::size_t n = column.size();
  const auto m = static_cast<std::size_t>(std::max(1.0, std::round(0.6 * std::cbrt(static_cast<double>(n)))));
  const std::vector<double> digamma = half_integer_digamma(2 * n + 2);
  const std::vector<double> narrow = windows(column, m, digamma);
  arma::vec values = column.in_row_order(windows(column, 2 * m, digamma));
  const double wide_mean = arma::mean(values);
  const double narrow_mean = arma::mean(arma::vec(narrow));
  values += (4 * (narrow_mean - wide_mean)) / 3 + digamma[2 * n + 2];
  return values;
}

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

arma::vec histogram_values(const SortedColumn& column) {
  const Scaled rows = scaled(column);
  const auto n = static_cast<double>(column.size());
  const double width = 2 * 1.349 * robust_scale(rows.x.data(), rows.x.size()) / std::cbrt(n);
  const auto bin = [&](std::size_t i) { return std::floor((rows.x[i] - rows.x.front()) / width); };
  std::vector<double> values(column.size());
  double occupied = 0;
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end, ++occupied) {
    for (end = begin + 1; end < values.size() && bin(end) == bin(begin);) ++end;
    std::fill(values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end),
              std::log(n * width / static_cast<double>(end - begin)));
  }
  return column.in_row_order(values) + (occupied - 1) / (2 * n) + rows.log_unit;
}

arma::vec kde_values(const SortedColumn& column) {
  const Scaled rows = scaled(column);
  const double bandwidth = select_bandwidth(rows.x.data(), rows.x.size(), BandwidthRule::likelihood);
  const MonotoneSpline table = kde_spline(rows.x.data(), rows.x.size(), bandwidth);
  const arma::vec log_density = leave_one_out_log_density(table, rows.x.data(), rows.x.size());
  return column.in_row_order(arma::conv_to<std::vector<double>>::from(-log_density)) + rows.log_unit;
}

}  // namespace gaussianize::detail
