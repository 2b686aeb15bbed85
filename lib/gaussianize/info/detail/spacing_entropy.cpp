#include <algorithm>
#include <cmath>

#include "gaussianize/info/detail/entropy_methods.hpp"

namespace gaussianize::detail {
namespace {

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

}  // namespace gaussianize::detail
