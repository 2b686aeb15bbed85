#include <algorithm>
#include <cmath>
#include <numbers>

#include "gaussianize/info/detail/entropy_methods.hpp"
#include "gaussianize/marginal/bandwidth.hpp"
#include "gaussianize/marginal/kde.hpp"

namespace gaussianize::detail {
namespace {

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
