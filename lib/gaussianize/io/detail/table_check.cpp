#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::uint8_t max_levels = 4;
constexpr double min_slope = 1e-300;

std::string check_numbers(const MonotoneSpline& t) {
  const auto positive = [](double v) { return std::isfinite(v) && v > 0; };
  for (const auto& [name, tail] : {std::pair("lower", &t.lower), std::pair("upper", &t.upper)}) {
    if (!(std::isfinite(tail->log_mass) && tail->log_mass < 0))
      return concat(name, ".log_mass is ", tail->log_mass, ", the log of a probability below 1 must be negative");
    if (!positive(tail->rate)) return concat(name, ".rate is ", tail->rate, ", it must be positive and finite");
    if (!(tail->shape >= 0 && tail->shape <= 1))
      return concat(name, ".shape is ", tail->shape, ", it must lie between 0 and 1");
    if (tail->straight > 1) return concat(name, ".straight is ", int{tail->straight}, ", it must be 0 or 1");
  }
  if (!(std::isfinite(t.bandwidth) && t.bandwidth >= 0))
    return concat("bandwidth is ", t.bandwidth, ", it must be finite and not negative");
  if (!(t.shrinkage >= 0 && t.shrinkage <= 1)) return concat("blend is ", t.shrinkage, ", it must lie between 0 and 1");
  if (!std::isfinite(t.shift)) return "shift is not finite";
  if (!positive(t.scale)) return concat("scale is ", t.scale, ", it must be positive and finite");
  return {};
}

/// The knots that the cells of a segment stand for must be `position`, up to rounding: both are used.
bool on_grid(const MonotoneSpline& t, const SplineSegment& segment) {
  const auto cells = static_cast<double>(segment.cells);
  const double end = segment.begin + cells * segment.cell_width;
  const double rounding = 1e-15 * (cells + 8) * std::max(std::abs(segment.begin), std::abs(end));
  const double tolerance = 1e-6 * segment.cell_width + rounding;
  for (std::size_t i = 0; i < segment.cells; ++i) {
    const std::size_t cell = segment.first_cell + i;
    const std::size_t pieces = std::size_t{1} << t.cell_level[cell];
    for (std::size_t j = 0; j <= pieces; ++j) {
      const double step = static_cast<double>(i) + static_cast<double>(j) / static_cast<double>(pieces);
      const double place = segment.begin + segment.cell_width * step;
      if (!(std::abs(t.position[t.cell_knot[cell] + j] - place) <= tolerance)) return false;
    }
  }
  return true;
}

/// Cells follow one another without gap, within a segment and from segment to segment, and so do their knots.
std::string check_index(const MonotoneSpline& t) {
  const std::size_t cells = t.cell_knot.size();
  if (t.cell_level.size() != cells) return "cell.level and cell.knot differ in length";
  if (t.segments.empty()) return "segment.begin is empty, there must be a segment";
  if (t.main_segment >= t.segments.size()) return concat("main_segment is ", t.main_segment, ", there is no such one");
  std::size_t cell = 0;
  std::size_t knot = 0;
  for (std::size_t s = 0; s < t.segments.size(); ++s) {
    const SplineSegment& segment = t.segments[s];
    if (!(std::isfinite(segment.begin) && std::isfinite(segment.cell_width) && segment.cell_width > 0))
      return concat("segment.cell_width[", s, "] is ", segment.cell_width, " from ", segment.begin,
                    ", a segment must have a place and a width");
    if (segment.first_cell != cell || segment.cells < 1 || segment.cells > cells - cell)
      return concat("segment.cells[", s, "]: its ", segment.cells, " cells from cell ", segment.first_cell,
                    " do not follow those before");
    for (const std::size_t end = cell + segment.cells; cell < end; ++cell) {
      if (t.cell_level[cell] > max_levels) return concat("cell.level[", cell, "] is above ", int{max_levels});
      if (t.cell_knot[cell] != knot) return concat("cell.knot[", cell, "] is ", t.cell_knot[cell], ", not ", knot);
      knot += std::size_t{1} << t.cell_level[cell];
    }
    ++knot;  // the right end of the segment's last cell
    if (knot > t.position.size()) return concat("knot.position has ", t.position.size(), " knots, the cells need more");
    if (!on_grid(t, segment)) return concat("knot.position does not match the cells of segment ", s);
  }
  if (cell != cells) return concat("cell.knot has ", cells, " cells where the segments have ", cell);
  if (knot != t.position.size())
    return concat("knot.position has ", t.position.size(), " knots, the cells need ", knot);
  return {};
}

/// Whether the cubic between two knots never falls [Fritsch & Carlson 1980]: with slopes relative to the secant's, (a,
/// b) lies in the square [0, 3]² or in an ellipse. Slopes too small to matter count as none.
bool rises(double rise, double width, double left, double right) {
  const auto relative = [&](double slope) { return slope <= min_slope ? 0.0 : slope * width / rise; };
  const double a = relative(left);
  const double b = relative(right);
  constexpr double limit = 3 * (1 + 1e-9);
  return (a <= limit && b <= limit) || a * a + a * b + b * b - 6 * (a + b) + 9 <= 0;
}

std::string check_knots(const MonotoneSpline& t) {
  const std::size_t n = t.position.size();
  if (t.value.size() != n || t.slope.size() != n) return "knot.position, knot.value and knot.slope differ in length";
  for (std::size_t k = 0; k < n; ++k) {
    if (!std::isfinite(t.position[k])) return concat("knot.position[", k, "] is not finite");
    if (!std::isfinite(t.value[k])) return concat("knot.value[", k, "] is not finite");
    if (!(std::isfinite(t.slope[k]) && t.slope[k] > 0))
      return concat("knot.slope[", k, "] is ", t.slope[k], ", it must be positive and finite");
    if (k == 0) continue;
    if (!(t.position[k] > t.position[k - 1])) return concat("knot.position[", k, "] is not above the one before");
    if (!(t.value[k] >= t.value[k - 1])) return concat("knot.value[", k, "] is below the one before");
    if (!rises(t.value[k] - t.value[k - 1], t.position[k] - t.position[k - 1], t.slope[k - 1], t.slope[k]))
      return concat("knot.slope[", k, "] lets the curve fall before or at this knot");
  }
  return {};
}

/// A jump from the outermost knot to its tail would leave values without an inverse, or with two.
std::string check_joins(const MonotoneSpline& t) {
  const auto joined = [](double value, double quantile) {
    return std::abs(value - quantile) <= 1e-6 * (1 + std::abs(quantile));
  };
  if (!joined(t.value.front(), normal_quantile_from_log(t.lower.log_mass)))
    return concat("lower.log_mass does not meet the value ", t.value.front(), " of the first knot");
  if (!joined(t.value.back(), -normal_quantile_from_log(t.upper.log_mass)))
    return concat("upper.log_mass does not meet the value ", t.value.back(), " of the last knot");
  return {};
}

}  // namespace

std::string table_problem(const MonotoneSpline& table) {
  for (const auto check : {check_numbers, check_knots, check_index, check_joins})
    if (std::string problem = check(table); !problem.empty()) return problem;
  return {};
}

}  // namespace gaussianize::detail
