#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "gaussianize/marginal/monotone_spline.hpp"

/// The plain loops that the vector loops of tabulated maps must agree with, one value at a time.
namespace reference {

struct Value {
  double y = 0.0;
  double slope = 0.0;
};

/// The cubic z of the piece from knot k on, and its blend, at s ∈ [0, 1].
inline Value on_piece(const gaussianize::MonotoneSpline& t, std::size_t k, double width, double s, double x) {
  const double rise = t.value[k + 1] - t.value[k];
  const double left = t.slope[k] * width;
  const double right = t.slope[k + 1] * width;
  const double b = 3 * rise - 2 * left - right;
  const double c = left + right - 2 * rise;
  const double z = t.value[k] + s * (left + s * (b + s * c));
  const double slope = std::max(1e-300, (left + s * (2 * b + s * 3 * c)) * (1 / width));
  const double tilt = t.shrinkage / t.scale;
  return {(1 - t.shrinkage) * z + tilt * (x - t.shift), (1 - t.shrinkage) * slope + tilt};
}

/// At an x of the main segment, by its cells.
inline Value forward(const gaussianize::MonotoneSpline& t, double x) {
  const gaussianize::SplineSegment& main = t.segments[t.main_segment];
  const double u = (x - main.begin) * (1 / main.cell_width);
  const auto cell = static_cast<std::size_t>(u);
  const double pieces = static_cast<double>(1U << t.cell_level[main.first_cell + cell]);
  const double v = (u - static_cast<double>(cell)) * pieces;
  const auto sub = static_cast<std::size_t>(v);
  const std::size_t knot = t.cell_knot[main.first_cell + cell] + sub;
  return on_piece(t, knot, main.cell_width / pieces, v - static_cast<double>(sub), x);
}

/// The x between the outermost knots with y(x) = y: binary search for the piece, then bisected Newton on it.
inline double inverse(const gaussianize::MonotoneSpline& t, double y) {
  const auto knot_y = [&](std::size_t k) {
    return (1 - t.shrinkage) * t.value[k] + t.shrinkage / t.scale * (t.position[k] - t.shift);
  };
  std::size_t low = 0;
  std::size_t high = t.position.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (knot_y(middle) <= y ? low : high) = middle;
  }
  const double begin = t.position[low];
  const double width = t.position[high] - begin;
  double left = 0, right = 1;
  double s = std::clamp((y - knot_y(low)) / (knot_y(high) - knot_y(low)), 0.0, 1.0);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Value p = on_piece(t, low, width, s, begin + s * width);
    (p.y > y ? right : left) = s;
    const double next = s - (p.y - y) / (p.slope * width);
    if (std::abs(next - s) < 1e-8 && next >= 0 && next <= 1) return begin + width * next;
    s = next > left && next < right ? next : 0.5 * (left + right);
  }
  return begin + width * s;
}

/// Adds the powers 0 … 7 of (c + ½ − r)/2 to the moments of cell c = ⌊r⌋, r = (x − begin)·inverse_width.
inline void add_moments(double x, double begin, double inverse_width, std::size_t last_cell, double* cells) {
  const double r = (x - begin) * inverse_width;
  const std::size_t cell = std::min(static_cast<std::size_t>(r), last_cell);
  const double v = (static_cast<double>(cell) + 0.5 - r) / 2;
  const double v2 = v * v;
  const double v4 = v2 * v2;
  const double powers[] = {1, v, v2, v * v2, v4, v * v4, v2 * v4, v * v2 * v4};
  for (std::size_t m = 0; m < 8; ++m) cells[8 * cell + m] += powers[m];
}

/// The definition of robust_scale, by a sort and three passes.
inline double robust_scale(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double squares =
      std::accumulate(x.begin(), x.end(), 0.0, [&](double sum, double v) { return sum + (v - mean) * (v - mean); });
  const double deviation = std::sqrt(squares / n);
  const std::size_t count = std::min<std::size_t>(x.size(), 2048);
  std::vector<double> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(x[i * x.size() / count]);
  std::sort(rows.begin(), rows.end());
  const auto quantile = [&](double p) {
    return rows[static_cast<std::size_t>(p * static_cast<double>(count - 1) + 0.5)];
  };
  const double middle = (quantile(0.75) - quantile(0.25)) / 1.3489795;
  const double wide = std::min(deviation, (quantile(0.95) - quantile(0.05)) / 3.2897073);
  const double scale = std::max(std::min(deviation, middle), wide / 50);
  return scale > 0 ? scale : deviation;
}

}  // namespace reference
