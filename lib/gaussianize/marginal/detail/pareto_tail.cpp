#include "gaussianize/marginal/detail/pareto_tail.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::size_t min_rows = 50;
constexpr std::size_t min_excesses = 10;

/// Hazard and shape of sorted excesses over a threshold.
Tail pareto_tail(const std::vector<double>& excess) {
  const auto count = static_cast<double>(excess.size());
  double mean = 0;      // a₀
  double weighted = 0;  // a₁ = E[e (1 − G(e))]
  for (std::size_t j = 0; j < excess.size(); ++j) {
    mean += excess[j] / count;
    weighted += excess[j] * (1 - (static_cast<double>(j) + 0.65) / count) / count;
  }
  const double shape = 2 - mean / (mean - 2 * weighted);
  Tail tail;
  tail.shape = std::clamp(shape - 1 / std::sqrt(count), 0.0, 0.9);
  // E e = 1/(rate (1 − shape)); near shape 1 the mean says little, and the median does as well: e_½ = (2^ξ − 1)/(ξ
  // rate).
  const double median = excess[excess.size() / 2];
  if (tail.shape > 0.3 && median > 0)
    tail.rate = std::expm1(tail.shape * std::log(2.0)) / (tail.shape * median);
  else
    tail.rate = 1 / (mean * (1 - tail.shape));
  return tail;
}

double pareto_log_likelihood(const Tail& tail, const std::vector<double>& excess) {
  double sum = 0;
  for (const double e : excess) {
    const double drop = tail.shape > 0 ? (1 + 1 / tail.shape) * std::log1p(tail.shape * tail.rate * e) : tail.rate * e;
    sum += std::log(tail.rate) - drop;
  }
  return sum;
}

/// (T3).
double straight_slope(double z, const std::vector<double>& excess) {
  const auto count = static_cast<double>(excess.size());
  // In units of the largest, whose square may overflow.
  const double largest = *std::max_element(excess.begin(), excess.end());
  double sum = 0, squares = 0;
  for (const double e : excess) {
    sum += e / largest;
    squares += (e / largest) * (e / largest);
  }
  return 2 * count / (z * sum + std::sqrt(z * sum * z * sum + 4 * count * squares)) / largest;
}

double straight_log_likelihood(double z, double slope, const std::vector<double>& excess) {
  double sum = 0;
  for (const double e : excess) sum += std::log(slope) + log_normal_pdf(z + slope * e) - log_normal_cdf(-z);
  return sum;
}

/// A tail, and dz/dx where it begins.
struct FittedTail {
  Tail tail;
  double slope = 0.0;
};

/// Of the excesses over a threshold at z; nothing if they are too few.
std::optional<FittedTail> fit_excesses(std::vector<double> excess, double z, const TailFit& fit) {
  if (excess.size() < min_excesses / 2) return std::nullopt;
  std::sort(excess.begin(), excess.end());
  FittedTail straight{{.straight = 1}, std::clamp(straight_slope(z, excess), fit.min_slope, fit.max_slope)};
  straight.tail.log_mass = log_normal_cdf(-z);
  if (!fit.heavy) return straight;
  FittedTail heavy{pareto_tail(excess)};
  heavy.tail.log_mass = straight.tail.log_mass;
  heavy.slope = heavy.tail.rate * std::exp(log_mills_ratio(z));
  const bool likelier = pareto_log_likelihood(heavy.tail, excess) > straight_log_likelihood(z, straight.slope, excess);
  return likelier ? heavy : straight;
}

/// Cells first … last of the spline, as a spline of their own.
MonotoneSpline slice(const MonotoneSpline& t, std::size_t first, std::size_t last) {
  MonotoneSpline cut = t;
  cut.segments.clear();
  const std::uint32_t first_knot = t.cell_knot[first];
  const std::size_t end_knot = t.cell_knot[last] + (std::size_t{1} << t.cell_level[last]);
  bool has_main = false;
  for (std::size_t s = 0; s < t.segments.size(); ++s) {
    const SplineSegment& segment = t.segments[s];
    const std::size_t begin = std::max<std::size_t>(segment.first_cell, first);
    const std::size_t end = std::min<std::size_t>(segment.first_cell + segment.cells, last + 1);
    if (begin >= end) continue;
    if (s == t.main_segment) {
      cut.main_segment = cut.segments.size();
      has_main = true;
    }
    cut.segments.push_back({begin == segment.first_cell ? segment.begin : t.position[t.cell_knot[begin]],
                            segment.cell_width, begin - first, end - begin});
  }
  if (!has_main) {
    const auto widest = std::max_element(cut.segments.begin(), cut.segments.end(),
                                         [](const auto& a, const auto& b) { return a.cells < b.cells; });
    cut.main_segment = static_cast<std::size_t>(widest - cut.segments.begin());
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

/// One side of a spline: where a tail may be cut on, cell by cell outwards.
struct Side {
  const MonotoneSpline& spline;
  double sign;  // +1 is the upper side

  /// The outer knot of a cell, and its neighbour within the cell.
  std::size_t knot(std::size_t cell) const {
    return spline.cell_knot[cell] + (sign > 0 ? std::size_t{1} << spline.cell_level[cell] : 0);
  }
  std::size_t neighbour(std::size_t cell) const { return sign > 0 ? knot(cell) - 1 : knot(cell) + 1; }
  /// z towards this side, at the outer knot of a cell.
  double height(std::size_t cell) const { return sign * spline.value[knot(cell)]; }
};

/// A cell, and the tail beyond it.
struct Cut {
  std::size_t cell = 0;
  Tail tail;
  double slope = 0.0;  // dz/dx where they meet
};

/// The tail of the excesses over cell `cell`, if there is one that its cubic can meet without overshooting.
std::optional<Cut> cut_at(const Side& side, std::size_t cell, const std::vector<double>& outer, const TailFit& fit) {
  const MonotoneSpline& t = side.spline;
  const std::size_t knot = side.knot(cell);
  std::vector<double> excess;
  for (const double x : outer)
    if (const double e = side.sign * (x - t.position[knot]); e > 0) excess.push_back(e);
  const std::optional<FittedTail> fitted = fit_excesses(std::move(excess), side.height(cell), fit);
  if (!fitted || !std::isfinite(fitted->slope)) return std::nullopt;
  const std::size_t inner = side.neighbour(cell);
  const double chord = (t.value[inner] - t.value[knot]) / (t.position[inner] - t.position[knot]);
  if (!(fitted->slope <= 3 * chord)) return std::nullopt;
  return Cut{cell, fitted->tail, fitted->slope};
}

/// The innermost cut that holds, from the cell that leaves `share` of the mass on: z is level where rows are missing,
/// as before a group of outliers, and can meet their tail only where they begin.
std::optional<Cut> find_cut(const Side& side, std::size_t start, const double* x, std::size_t n, const TailFit& fit) {
  constexpr std::size_t farthest_cell = 24;  // of 2h: longer than any level stretch within a segment
  const double place = side.spline.position[side.knot(start)];
  std::vector<double> outer;
  for (std::size_t i = 0; i < n; ++i)
    if (side.sign * (x[i] - place) > 0) outer.push_back(x[i]);
  const std::size_t room = side.sign > 0 ? side.spline.cell_knot.size() - 1 - start : start;
  for (std::size_t i = 0; i <= std::min(room, farthest_cell); ++i)
    if (auto cut = cut_at(side, side.sign > 0 ? start + i : start - i, outer, fit)) return cut;
  return std::nullopt;
}

}  // namespace

void fit_tails(MonotoneSpline& spline, const double* x, std::size_t n, const TailFit& fit) {
  if (!fit.heavy) spline.lower.straight = spline.upper.straight = 1;
  if (n < min_rows) return;
  const auto rows = static_cast<double>(n);
  const double share = std::max(std::sqrt(rows), static_cast<double>(min_excesses)) / rows;
  const double height = upper_normal_quantile(share);
  const Side below{spline, -1};
  const Side above{spline, +1};
  // The innermost cells whose outer knots leave no more than `share`: between them, at least one.
  std::size_t first = 0;
  std::size_t last = spline.cell_knot.size() - 1;
  while (first < last && below.height(first + 1) >= height) ++first;
  while (last > first && above.height(last - 1) >= height) --last;
  const auto lower = find_cut(below, first, x, n, fit);
  const auto upper = find_cut(above, last, x, n, fit);
  spline = slice(spline, lower ? lower->cell : 0, upper ? upper->cell : spline.cell_knot.size() - 1);
  if (lower) {
    spline.lower = lower->tail;
    spline.slope.front() = lower->slope;
  }
  if (upper) {
    spline.upper = upper->tail;
    spline.slope.back() = upper->slope;
  }
}

}  // namespace gaussianize::detail
