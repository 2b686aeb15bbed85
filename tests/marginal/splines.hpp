#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/monotone_spline.hpp"
#include "gaussianize/math/normal.hpp"

#include "support/bytes.hpp"
#include "support/laws.hpp"

/// What the tests of tabulated maps share.
namespace gaussianize::testing {
using namespace detail;

inline double value_at(const MonotoneSpline& spline, double x) {
  double y = 0, slope = 0;
  forward(spline, &x, &y, &slope, 1);
  return y;
}

inline double slope_at(const MonotoneSpline& spline, double x) {
  double y = 0, slope = 0;
  forward(spline, &x, &y, &slope, 1);
  return slope;
}

inline double inverse_at(const MonotoneSpline& spline, double y) {
  double x = 0;
  inverse(spline, &y, &x, 1);
  return x;
}

/// φ(y) dy/dx, the density of x where y is standard normal.
inline double density_at(const MonotoneSpline& spline, double x) {
  double y = 0, slope = 0;
  forward(spline, &x, &y, &slope, 1);
  return normal_pdf(y) * slope;
}

inline MonotoneSpline blended_with(MonotoneSpline spline, double shrinkage, double shift, double scale) {
  spline.shrinkage = shrinkage;
  spline.shift = shift;
  spline.scale = scale;
  return spline;
}

inline bool same_table(const MonotoneSpline& a, const MonotoneSpline& b) {
  const auto numbers = [](const MonotoneSpline& t) {
    std::vector<double> all{t.lower.log_mass, t.lower.rate, t.lower.shape, t.upper.log_mass, t.upper.rate,
                            t.upper.shape,    t.bandwidth,  t.shrinkage,   t.shift,          t.scale};
    for (const SplineSegment& s : t.segments) {
      all.push_back(s.begin);
      all.push_back(s.cell_width);
      all.push_back(static_cast<double>(s.first_cell));
      all.push_back(static_cast<double>(s.cells));
    }
    for (const auto* part : {&t.position, &t.value, &t.slope}) all.insert(all.end(), part->begin(), part->end());
    return all;
  };
  return same_bytes(numbers(a), numbers(b)) && a.cell_knot == b.cell_knot && a.cell_level == b.cell_level &&
         a.main_segment == b.main_segment;
}

/// What is wrong with the index, the knots or the joins of a spline; nothing if it is sound.
inline std::string spline_fault(const MonotoneSpline& t) {
  const std::size_t knots = t.position.size();
  if (t.value.size() != knots || t.slope.size() != knots) return "lengths of the knots' parts";
  if (t.cell_level.size() != t.cell_knot.size()) return "lengths of the cells' parts";
  if (t.main_segment >= t.segments.size()) return "main_segment";
  std::size_t cell = 0, knot = 0;
  for (const SplineSegment& segment : t.segments) {
    if (segment.first_cell != cell || segment.cells < 1) return concat("first_cell at cell ", cell);
    // A position is a double itself, and a sum of `cells` widths is off by as many roundings.
    const double end = segment.begin + static_cast<double>(segment.cells) * segment.cell_width;
    const double rounding = 4e-16 * std::max(std::abs(segment.begin), std::abs(end)) + 1e-12 * segment.cell_width;
    for (std::size_t c = 0; c < segment.cells; ++c, ++cell) {
      if (cell >= t.cell_knot.size() || t.cell_level[cell] > 4 || t.cell_knot[cell] != knot)
        return concat("cell ", cell);
      const std::size_t pieces = std::size_t{1} << t.cell_level[cell];
      for (std::size_t p = 0; p <= pieces; ++p) {
        const double step = static_cast<double>(c) + static_cast<double>(p) / static_cast<double>(pieces);
        if (knot + p >= knots) return "too few knots";
        if (!(std::abs(t.position[knot + p] - (segment.begin + segment.cell_width * step)) <= rounding))
          return concat("knot ", knot + p, " is off the grid");
      }
      knot += pieces;
    }
    ++knot;
  }
  if (cell != t.cell_knot.size() || knot != knots) return "cells or knots left over";
  for (std::size_t k = 0; k < knots; ++k) {
    if (!(t.slope[k] > 0) || !std::isfinite(t.slope[k]) || !std::isfinite(t.value[k])) return concat("knot ", k);
    if (k == 0) continue;
    const double width = t.position[k] - t.position[k - 1];
    const double chord = (t.value[k] - t.value[k - 1]) / width;
    if (!(width > 0 && chord >= 0)) return concat("knot ", k, " does not follow the one before");
    const double limit = std::max(3 * chord * (1 + 1e-9), 1e-300);
    if (!(t.slope[k - 1] <= limit && t.slope[k] <= limit)) return concat("slopes at knot ", k, " overshoot");
  }
  // The tails start with the value and slope of the outermost knots.
  const auto joined = [](double value, double slope, const Tail& tail) {
    const double u = normal_quantile_from_log(tail.log_mass);
    if (tail.straight) return std::abs(value - u) <= 1e-12 * (1 + std::abs(u));
    return std::abs(value - u) <= 1e-12 * (1 + std::abs(u)) && tail.shape >= 0 && tail.shape <= 1 && tail.rate > 0 &&
           relative_error(slope, tail.rate * std::exp(log_mills_ratio(-u))) < 1e-10;
  };
  if (!joined(t.value.front(), t.slope.front(), t.lower)) return "lower tail";
  if (!joined(-t.value.back(), t.slope.back(), t.upper)) return "upper tail";
  return {};
}

}  // namespace gaussianize::testing
