#include "gaussianize/marginal/detail/spline_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/detail/check_sizes.hpp"
#include "gaussianize/math/detail/spline_loops.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

constexpr double min_slope = 1e-300;

bool is_positive(double v) {
  return std::isfinite(v) && v > 0;
}

void check_tail(const Tail& tail, const char* name) {
  require(std::isfinite(tail.log_mass) && tail.log_mass < 0, "spline: ", name, ".log_mass is ", tail.log_mass,
          "; the log of a probability below 1 is negative");
  require(is_positive(tail.rate), "spline: ", name, ".rate is ", tail.rate, "; it must be positive and finite");
  require(tail.shape >= 0 && tail.shape <= 1, "spline: ", name, ".shape is ", tail.shape,
          "; it must lie between 0 and 1");
  require(tail.straight <= 1, "spline: ", name, ".straight is ", int{tail.straight}, "; it must be 0 or 1");
}

void check_numbers(const MonotoneSpline& s) {
  check_tail(s.lower, "lower");
  check_tail(s.upper, "upper");
  require(std::isfinite(s.bandwidth) && s.bandwidth >= 0, "spline: bandwidth is ", s.bandwidth,
          "; it must be finite and not negative");
  require(s.shrinkage >= 0 && s.shrinkage <= 1, "spline: shrinkage is ", s.shrinkage, "; it must lie between 0 and 1");
  require(std::isfinite(s.shift), "spline: shift is ", s.shift, "; it must be finite");
  require(is_positive(s.scale), "spline: scale is ", s.scale, "; it must be positive and finite");
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

void check_knots(const MonotoneSpline& s) {
  for (std::size_t k = 0; k < s.position.size(); ++k) {
    require(std::isfinite(s.position[k]), "spline: position[", k, "] is ", s.position[k], "; it must be finite");
    require(std::isfinite(s.value[k]), "spline: value[", k, "] is ", s.value[k], "; it must be finite");
    require(is_positive(s.slope[k]), "spline: slope[", k, "] is ", s.slope[k], "; it must be positive and finite");
    if (k == 0) continue;
    require(s.position[k] > s.position[k - 1], "spline: position[", k, "] is not above the one before");
    require(s.value[k] >= s.value[k - 1], "spline: value[", k, "] is below the one before");
    require(rises(s.value[k] - s.value[k - 1], s.position[k] - s.position[k - 1], s.slope[k - 1], s.slope[k]),
            "spline: slope[", k, "] lets the curve fall before or at this knot");
  }
}

/// The knots that the cells of a segment stand for must be `position`, up to rounding: both are used.
bool on_grid(const MonotoneSpline& s, const SplineSegment& segment) {
  const auto cells = static_cast<double>(segment.cells);
  const double end = segment.begin + cells * segment.cell_width;
  const double rounding = 1e-15 * (cells + 8) * std::max(std::abs(segment.begin), std::abs(end));
  const double tolerance = 1e-6 * segment.cell_width + rounding;
  for (std::size_t i = 0; i < segment.cells; ++i) {
    const std::size_t cell = segment.first_cell + i;
    const std::size_t pieces = std::size_t{1} << s.cell_level[cell];
    for (std::size_t j = 0; j <= pieces; ++j) {
      const double step = static_cast<double>(i) + static_cast<double>(j) / static_cast<double>(pieces);
      const double place = segment.begin + segment.cell_width * step;
      if (!(std::abs(s.position[s.cell_knot[cell] + j] - place) <= tolerance)) return false;
    }
  }
  return true;
}

/// Cells follow one another without gap, within a segment and from segment to segment, and so do their knots.
void check_cells(const MonotoneSpline& s) {
  const std::size_t cells = s.cell_knot.size(), knots = s.position.size();
  std::size_t cell = 0, knot = 0;
  for (std::size_t i = 0; i < s.segments.size(); ++i) {
    const SplineSegment& segment = s.segments[i];
    require(std::isfinite(segment.begin) && is_positive(segment.cell_width), "spline: segments[", i, "] has cells of ",
            segment.cell_width, " from ", segment.begin, "; a segment must have a place and a width");
    require(segment.first_cell == cell && segment.cells >= 1 && segment.cells <= cells - cell, "spline: segments[", i,
            "]: its ", segment.cells, " cells from cell ", segment.first_cell, " do not follow those before");
    for (const std::size_t end = cell + segment.cells; cell < end; ++cell) {
      require(s.cell_level[cell] <= SplineLoops::finest_level, "spline: cell_level[", cell, "] is ",
              int{s.cell_level[cell]}, "; the finest is ", SplineLoops::finest_level);
      require(s.cell_knot[cell] == knot, "spline: cell_knot[", cell, "] is ", s.cell_knot[cell], ", not ", knot);
      knot += std::size_t{1} << s.cell_level[cell];
    }
    ++knot;  // the right end of the segment's last cell
    require(knot <= knots, "spline: position has ", knots, " knots; the cells need more");
    require(on_grid(s, segment), "spline: position does not match the cells of segment ", i);
  }
  require(cell == cells, "spline: cell_knot has ", cells, " cells where the segments have ", cell);
  require(knot == knots, "spline: position has ", knots, " knots; the cells need ", knot);
}

/// A jump from the outermost knot to its tail would leave values without an inverse, or with two.
void check_joins(const MonotoneSpline& s) {
  const auto joined = [](double value, double quantile) {
    return std::abs(value - quantile) <= 1e-6 * (1 + std::abs(quantile));
  };
  require(joined(s.value.front(), normal_quantile_from_log(s.lower.log_mass)),
          "spline: lower.log_mass does not meet the value ", s.value.front(), " of the first knot");
  require(joined(s.value.back(), -normal_quantile_from_log(s.upper.log_mass)),
          "spline: upper.log_mass does not meet the value ", s.value.back(), " of the last knot");
}

}  // namespace

void check_spline(const MonotoneSpline& spline) {
  check_sizes(spline);
  check_numbers(spline);
  check_knots(spline);
  check_cells(spline);
  check_joins(spline);
}

}  // namespace gaussianize::detail
