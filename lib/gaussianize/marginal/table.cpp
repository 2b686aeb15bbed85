#include "gaussianize/marginal/table.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/math/normal.hpp"

namespace gaussianize {
namespace {

constexpr double least_slope = 1e-300;

/// A value of a map and its slope there.
struct Point {
  double value = 0.0;
  double slope = 0.0;
};

/// The cubic of one piece in s ∈ [0, 1]: value + s(a + s(b + s c)), with slopes per unit of s.
struct Cubic {
  double value, a, b, c;

  double operator()(double s) const { return value + s * (a + s * (b + s * c)); }
  double derivative(double s) const { return a + s * (2 * b + s * 3 * c); }
};

Cubic piece(const MonotoneTable& t, std::size_t knot, double width) {
  const double rise = t.value[knot + 1] - t.value[knot];
  const double left = t.slope[knot] * width;
  const double right = t.slope[knot + 1] * width;
  return {t.value[knot], left, 3 * rise - 2 * left - right, left + right - 2 * rise};
}

/// z beyond the outermost knot; `excess` is the distance from it and the sign is the tail's.
Point tail_point(const Tail& tail, double excess, double sign) {
  const double stretch = 1 + tail.shape * tail.rate * excess;
  const double drop = tail.shape > 0 ? std::log1p(tail.shape * tail.rate * excess) / tail.shape : tail.rate * excess;
  const double u = normal_quantile_from_log(tail.log_mass - drop);  // u ≤ 0
  // dz/dx = hazard·P/φ(u): Mills' ratio keeps it exact where P and φ underflow.
  return {-sign * u, std::max(least_slope, tail.rate / stretch * std::exp(log_mills_ratio(-u)))};
}

/// The distance from the knot at which the tail's z is reached.
double tail_excess(const Tail& tail, double z, double sign) {
  const double drop = std::max(0.0, tail.log_mass - log_normal_cdf(-sign * z));
  return (tail.shape > 0 ? std::expm1(tail.shape * drop) / tail.shape : drop) / tail.rate;
}

Point blended(const MonotoneTable& t, double x, Point z) {
  return {(1 - t.blend) * z.value + t.blend * ((x - t.shift) / t.scale), (1 - t.blend) * z.slope + t.blend / t.scale};
}

/// z anywhere, by binary search.
Point search_point(const MonotoneTable& t, double x) {
  if (x < t.position.front()) return tail_point(t.lower, t.position.front() - x, -1);
  if (x >= t.position.back()) return tail_point(t.upper, x - t.position.back(), +1);
  const auto next = std::upper_bound(t.position.begin(), t.position.end(), x);
  const std::size_t knot = static_cast<std::size_t>(next - t.position.begin()) - 1;
  const double width = t.position[knot + 1] - t.position[knot];
  const double s = (x - t.position[knot]) / width;
  const Cubic cubic = piece(t, knot, width);
  return {cubic(s), std::max(least_slope, cubic.derivative(s) / width)};
}

double blended_knot(const MonotoneTable& t, std::size_t knot) {
  return (1 - t.blend) * t.value[knot] + t.blend * ((t.position[knot] - t.shift) / t.scale);
}

/// The root in [0, 1] of an increasing cubic, by Newton's method that falls back on bisection. Its error is squared at
/// every step, so a step below 1e-8 is the last.
double solve(const Cubic& cubic, double target) {
  double low = 0;
  double high = 1;
  const double rise = cubic(1) - cubic.value;
  double s = rise > 0 ? std::clamp((target - cubic.value) / rise, 0.0, 1.0) : 0.5;
  for (int iteration = 0; iteration < 60; ++iteration) {
    const double error = cubic(s) - target;
    (error > 0 ? high : low) = s;
    const double next = s - error / cubic.derivative(s);
    if (std::abs(next - s) < 1e-8 && next >= 0 && next <= 1) return next;
    s = next > low && next < high ? next : 0.5 * (low + high);
  }
  return s;
}

/// Inverts the blended tail beyond `knot`; `sign` is the tail's. Increasing and smooth, so Newton from a bracket.
double invert_tail(const MonotoneTable& t, const Tail& tail, double knot, double y, double sign) {
  const double plain = tail_excess(tail, y, sign);
  if (t.blend == 0) return knot + sign * plain;
  // (1 − blend) z + blend (x − shift)/scale = y lies between the two maps' own inverses, up to the other's share.
  double low = knot;
  double step = sign * std::max({1.0 / tail.rate, t.scale, std::min(plain, t.scale * 1e3)});
  const auto at = [&](double x) { return blended(t, x, tail_point(tail, sign * (x - knot), sign)); };
  double high = knot + step;
  while (sign * (at(high).value - y) < 0 && std::isfinite(high)) {
    low = high;
    step *= 4;
    high = knot + step;
  }
  if (!std::isfinite(high)) return high;
  double x = 0.5 * (low + high);
  for (int iteration = 0; iteration < 200; ++iteration) {
    const Point p = at(x);
    (sign * (p.value - y) > 0 ? high : low) = x;
    double next = x - (p.value - y) / p.slope;
    if (!(sign * (next - low) > 0 && sign * (high - next) > 0)) next = low + 0.5 * (high - low);
    if (std::abs(next - x) <= 4e-16 * std::abs(x) || next == low || next == high) return next;
    x = next;
  }
  return x;
}

}  // namespace

void evaluate(const MonotoneTable& t, const double* x, double* y, double* slope, std::size_t n) {
  const TableSegment& main = t.segments[t.main_segment];
  const double inverse_width = 1 / main.cell_width;
  const auto cells = static_cast<double>(main.cells);
  const std::uint32_t* cell_knot = t.cell_knot.data() + main.first_cell;
  const std::uint8_t* cell_level = t.cell_level.data() + main.first_cell;
  for (std::size_t i = 0; i < n; ++i) {
    const double u = (x[i] - main.begin) * inverse_width;
    Point z;
    if (u >= 0 && u < cells) {
      const auto cell = static_cast<std::size_t>(u);
      const double pieces = static_cast<double>(1U << cell_level[cell]);
      const double v = (u - static_cast<double>(cell)) * pieces;
      const auto sub = static_cast<std::size_t>(v);
      const double width = main.cell_width / pieces;
      const Cubic cubic = piece(t, cell_knot[cell] + sub, width);
      const double s = v - static_cast<double>(sub);
      z = {cubic(s), std::max(least_slope, cubic.derivative(s) * (inverse_width * pieces))};
    } else {
      z = search_point(t, x[i]);
    }
    const Point p = blended(t, x[i], z);
    y[i] = p.value;
    slope[i] = p.slope;
  }
}

void invert(const MonotoneTable& t, const double* y, double* x, std::size_t n) {
  const std::size_t last = t.position.size() - 1;
  const double lowest = blended_knot(t, 0);
  const double highest = blended_knot(t, last);
  for (std::size_t i = 0; i < n; ++i) {
    if (y[i] < lowest) {
      x[i] = invert_tail(t, t.lower, t.position.front(), y[i], -1);
      continue;
    }
    if (y[i] >= highest) {
      x[i] = invert_tail(t, t.upper, t.position.back(), y[i], +1);
      continue;
    }
    std::size_t low = 0;
    std::size_t high = last;  // blended_knot(low) ≤ y < blended_knot(high)
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      (blended_knot(t, middle) <= y[i] ? low : high) = middle;
    }
    const double begin = t.position[low];
    const double width = t.position[high] - begin;
    Cubic cubic = piece(t, low, width);
    const double keep = 1 - t.blend;
    cubic = {blended_knot(t, low), keep * cubic.a + t.blend * width / t.scale, keep * cubic.b, keep * cubic.c};
    x[i] = begin + width * solve(cubic, y[i]);
  }
}

std::size_t limit_slopes(MonotoneTable& t) {
  std::size_t lowered = 0;
  for (std::size_t k = 0; k < t.position.size(); ++k) {
    double limit = HUGE_VAL;
    if (k > 0) limit = std::min(limit, 3 * (t.value[k] - t.value[k - 1]) / (t.position[k] - t.position[k - 1]));
    if (k + 1 < t.position.size())
      limit = std::min(limit, 3 * (t.value[k + 1] - t.value[k]) / (t.position[k + 1] - t.position[k]));
    limit = std::max(limit, least_slope);
    if (t.slope[k] > limit) {
      t.slope[k] = limit;
      ++lowered;
    }
    t.slope[k] = std::max(t.slope[k], least_slope);
  }
  return lowered;
}

}  // namespace gaussianize
