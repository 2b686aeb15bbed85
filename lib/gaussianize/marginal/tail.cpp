#include "gaussianize/marginal/tail.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "gaussianize/math/normal.hpp"

namespace gaussianize {
namespace {

constexpr std::size_t least_rows = 50;
constexpr std::size_t least_excesses = 10;

/// Hazard and shape of the excesses over a threshold; nothing if they are too few or all zero.
std::optional<Tail> fit_excesses(std::vector<double> excess) {
  if (excess.size() < least_excesses / 2) return std::nullopt;
  std::sort(excess.begin(), excess.end());
  const auto count = static_cast<double>(excess.size());
  double mean = 0;      // a₀
  double weighted = 0;  // a₁ = E[e (1 − G(e))]
  for (std::size_t j = 0; j < excess.size(); ++j) {
    mean += excess[j] / count;
    weighted += excess[j] * (1 - (static_cast<double>(j) + 0.65) / count) / count;
  }
  if (!(mean > 0) || !std::isfinite(mean)) return std::nullopt;
  const double shape = 2 - mean / (mean - 2 * weighted);
  Tail tail;
  tail.shape = std::clamp(shape - 1 / std::sqrt(count), 0.0, 0.9);
  // E e = 1/(rate (1 − shape)); near shape 1 the mean says little, and the median does as well: e_½ = (2^ξ − 1)/(ξ rate).
  const double median = excess[excess.size() / 2];
  if (tail.shape > 0.3 && median > 0)
    tail.rate = std::expm1(tail.shape * std::log(2.0)) / (tail.shape * median);
  else
    tail.rate = 1 / (mean * (1 - tail.shape));
  return tail;
}

/// Cells first … last of the table, as a table of their own.
MonotoneTable slice(const MonotoneTable& t, std::size_t first, std::size_t last) {
  MonotoneTable cut = t;
  cut.segments.clear();
  const std::uint32_t first_knot = t.cell_knot[first];
  const std::size_t end_knot = t.cell_knot[last] + (std::size_t{1} << t.cell_level[last]);
  for (std::size_t s = 0; s < t.segments.size(); ++s) {
    const TableSegment& segment = t.segments[s];
    const std::size_t begin = std::max<std::size_t>(segment.first_cell, first);
    const std::size_t end = std::min<std::size_t>(segment.first_cell + segment.cells, last + 1);
    if (begin >= end) continue;
    if (s == t.main_segment) cut.main_segment = cut.segments.size();
    cut.segments.push_back({begin == segment.first_cell ? segment.begin : t.position[t.cell_knot[begin]],
                            segment.cell_width, begin - first, end - begin});
  }
  const auto keep = [](auto& values, std::size_t begin, std::size_t end) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(end), values.end());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(begin));
  };
  keep(cut.cell_knot, first, last + 1);
  keep(cut.cell_level, first, last + 1);
  for (std::uint32_t& knot : cut.cell_knot) knot -= first_knot;
  keep(cut.position, first_knot, end_knot + 1);
  keep(cut.value, first_knot, end_knot + 1);
  keep(cut.slope, first_knot, end_knot + 1);
  return cut;
}

/// Joins a tail to knot `knot` so that value and slope agree: the knot keeps its value and takes the tail's slope where
/// the neighbouring cubic allows it, else the tail takes what it allows.
void join(MonotoneTable& t, std::size_t knot, std::size_t neighbour, const Tail& fitted, Tail& tail) {
  const double z = std::abs(t.value[knot]) * (std::signbit(t.value[knot]) == (knot == 0) ? 1 : -1);
  const double mills = std::exp(log_mills_ratio(z));
  const double chord = (t.value[neighbour] - t.value[knot]) / (t.position[neighbour] - t.position[knot]);
  tail = fitted;
  tail.log_mass = log_normal_cdf(-z);
  t.slope[knot] = std::min(fitted.rate * mills, 3 * chord);
  tail.rate = t.slope[knot] / mills;
}

}  // namespace

void fit_tails(MonotoneTable& table, const double* x, std::size_t n) {
  if (n < least_rows) return;
  const auto rows = static_cast<double>(n);
  const double share = std::max(std::sqrt(rows), static_cast<double>(least_excesses)) / rows;
  const double cut = upper_normal_quantile(share);
  // The first cell that begins above −cut, and the last that ends below cut: between them, at least one.
  std::size_t first = 0;
  std::size_t last = table.cell_knot.size() - 1;
  const auto end_value = [&](std::size_t cell) { return table.value[table.cell_knot[cell] + (std::size_t{1} << table.cell_level[cell])]; };
  while (first < last && table.value[table.cell_knot[first + 1]] <= -cut) ++first;
  while (last > first && end_value(last - 1) >= cut) --last;
  const double low = table.position[table.cell_knot[first]];
  const double high = table.position[table.cell_knot[last] + (std::size_t{1} << table.cell_level[last])];
  std::vector<double> below, above;
  for (std::size_t i = 0; i < n; ++i) {
    if (x[i] < low) below.push_back(low - x[i]);
    if (x[i] > high) above.push_back(x[i] - high);
  }
  const auto lower = fit_excesses(std::move(below));
  const auto upper = fit_excesses(std::move(above));
  table = slice(table, lower ? first : 0, upper ? last : table.cell_knot.size() - 1);
  if (lower) join(table, 0, 1, *lower, table.lower);
  if (upper) join(table, table.position.size() - 1, table.position.size() - 2, *upper, table.upper);
}

}  // namespace gaussianize
