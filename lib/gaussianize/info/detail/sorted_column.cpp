#include "gaussianize/info/detail/sorted_column.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

namespace gaussianize::detail {

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
  struct Entry {
    double x;
    std::size_t row;
  };
  std::vector<Entry> entries(x.n_elem);
  for (std::size_t i = 0; i < x.n_elem; ++i) {
    if (!std::isfinite(x[i])) throw DataError(concat("row ", i, " is ", x[i], "; drop it or fill it in"));
    entries[i] = {x[i], i};
  }
  // Tied rows in their own order, so that the result does not depend on how the sort breaks ties.
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.x < b.x || (a.x == b.x && a.row < b.row); });
  if (entries.front().x == entries.back().x)
    throw DataError(concat("constant (", x[0], "): it has no density; drop it"));

  SortedColumn column;
  column.x.reserve(x.n_elem);
  column.row.reserve(x.n_elem);
  for (const Entry& entry : entries) {
    column.x.push_back(entry.x);
    column.row.push_back(entry.row);
  }
  column.mid_rank.resize(x.n_elem);
  for (std::size_t begin = 0, end = 0; begin < column.size(); begin = end) {
    for (end = begin + 1; end < column.size() && column.x[end] == column.x[begin];) ++end;
    column.ties += end - begin - 1;
    std::fill(column.mid_rank.begin() + static_cast<std::ptrdiff_t>(begin),
              column.mid_rank.begin() + static_cast<std::ptrdiff_t>(end), 0.5 * static_cast<double>(begin + end - 1));
  }
  return column;
}

double log_distance(double from, double to) {
  const double distance = to - from;
  return distance <= std::numeric_limits<double>::max() ? std::log(distance)
                                                        : std::log(0.5 * to - 0.5 * from) + std::numbers::ln2;
}

std::vector<double> half_integer_digamma(std::size_t count) {
  std::vector<double> table(std::max<std::size_t>(count, 2) + 1);
  table[1] = -std::numbers::egamma - 2 * std::numbers::ln2;
  table[2] = -std::numbers::egamma;
  for (std::size_t k = 3; k < table.size(); ++k) table[k] = table[k - 2] + 2.0 / static_cast<double>(k - 2);
  return table;
}

}  // namespace gaussianize::detail
