#include "gaussianize/marginal/monotone_spline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "gaussianize/marginal/detail/spline_check.hpp"
#include "gaussianize/math/detail/simd.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr double min_slope = 1e-300;

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

Cubic piece(const MonotoneSpline& t, std::size_t knot, double width) {
  const double rise = t.value[knot + 1] - t.value[knot];
  const double left = t.slope[knot] * width;
  const double right = t.slope[knot + 1] * width;
  return {t.value[knot], left, 3 * rise - 2 * left - right, left + right - 2 * rise};
}

/// z beyond an outermost knot, counted positive away from the middle, and its first two derivatives.
struct TailPoint {
  double value, slope, log_slope_derivative;
};

/// At `excess` from the knot. dz/dx = hazard·P/φ(z) by Mills' ratio M, which keeps it exact where P and φ underflow;
/// and M′ = zM − 1 < 0, so that the tail is concave.
TailPoint tail_point(const Tail& tail, double excess) {
  const double stretch = 1 + tail.shape * tail.rate * excess;
  const double drop = tail.shape > 0 ? std::log1p(tail.shape * tail.rate * excess) / tail.shape : tail.rate * excess;
  const double z = -normal_quantile_from_log(tail.log_mass - drop);
  const double hazard = tail.rate / stretch;
  const double mills = std::exp(log_mills_ratio(z));
  // Far out zM − 1 is −1/z², of which the difference would leave nothing but rounding.
  const double mills_slope = z > 1e4 ? -1 / (z * z) : z * mills - 1;
  return {z, std::max(min_slope, hazard * mills), hazard * hazard * mills * (mills_slope - tail.shape)};
}

/// The distance from the knot at which the tail's z is reached.
double tail_excess(const Tail& tail, double z, double sign) {
  const double drop = std::max(0.0, tail.log_mass - log_normal_cdf(-sign * z));
  return (tail.shape > 0 ? std::expm1(tail.shape * drop) / tail.shape : drop) / tail.rate;
}

LinearShrinkage blend_of(const MonotoneSpline& t) {
  return {1 - t.shrinkage, t.shrinkage / t.scale, t.shift};
}

Point blended(const LinearShrinkage& mix, double x, Point z) {
  return {mix.keep * z.value + mix.tilt * (x - mix.shift), mix.keep * z.slope + mix.tilt};
}

/// z in the tail beyond the outermost knot on the side of `sign`.
Point tail_value(const MonotoneSpline& t, double x, double sign) {
  const std::size_t knot = sign > 0 ? t.position.size() - 1 : 0;
  const Tail& tail = sign > 0 ? t.upper : t.lower;
  if (tail.straight) return {t.value[knot] + t.slope[knot] * (x - t.position[knot]), t.slope[knot]};
  const TailPoint p = tail_point(tail, sign * (x - t.position[knot]));
  return {sign * p.value, p.slope};
}

/// z anywhere, by binary search.
Point search_point(const MonotoneSpline& t, double x) {
  if (std::isnan(x)) return {x, x};
  if (x < t.position.front()) return tail_value(t, x, -1);
  if (x >= t.position.back()) return tail_value(t, x, +1);
  const auto next = std::upper_bound(t.position.begin(), t.position.end(), x);
  const std::size_t knot = static_cast<std::size_t>(next - t.position.begin()) - 1;
  const double width = t.position[knot + 1] - t.position[knot];
  const double s = (x - t.position[knot]) / width;
  const Cubic cubic = piece(t, knot, width);
  return {cubic(s), std::max(min_slope, cubic.derivative(s) / width)};
}

double blended_knot(const MonotoneSpline& t, const LinearShrinkage& mix, std::size_t knot) {
  return mix.keep * t.value[knot] + mix.tilt * (t.position[knot] - mix.shift);
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

/// Inverts the blended tail on the side of `sign`. A curved one by Halley's method for the excess e, between the
/// inverses of the two maps that are blended.
double invert_tail(const MonotoneSpline& t, const LinearShrinkage& mix, double y, double sign) {
  const std::size_t outermost = sign > 0 ? t.position.size() - 1 : 0;
  const Tail& tail = sign > 0 ? t.upper : t.lower;
  const double knot = t.position[outermost];
  if (tail.straight) return knot + (y - blended_knot(t, mix, outermost)) / (mix.keep * t.slope[outermost] + mix.tilt);
  const double plain = tail_excess(tail, y, sign);
  if (t.shrinkage == 0) return knot + sign * plain;
  const double line = std::max(0.0, sign * (t.shift + t.scale * y - knot));
  // Doubled and halved, for what rounding does to them. The straight part alone is there at the last.
  const double start = mix.keep * tail_point(tail, 0).value + sign * (mix.tilt * (knot - mix.shift) - y);
  double low = 0.5 * std::min(plain, line);
  double high = 2 * std::min(std::max(plain, line), -start / mix.tilt);
  if (!std::isfinite(high)) return sign * high;
  double e = std::min(mix.keep > 0.5 ? plain : line, high);
  for (int iteration = 0; iteration < 200; ++iteration) {
    const TailPoint p = tail_point(tail, e);
    const double error = mix.keep * p.value + sign * (mix.tilt * (knot + sign * e - mix.shift) - y);
    const double slope = mix.keep * p.slope + mix.tilt;
    const double move = error * slope / (slope * slope - 0.5 * error * mix.keep * p.log_slope_derivative);
    // Each step cubes the error, which is relative to the distance over which the tail bends.
    if (std::abs(move) <= 1e-6 * std::max(e, 1 / tail.rate)) return knot + sign * std::max(0.0, e - move);
    (error > 0 ? high : low) = e;
    const double next = e - move;
    e = next > low && next < high ? next : low > 0 ? std::sqrt(low) * std::sqrt(high) : 0.5 * high;
  }
  return knot + sign * e;
}

/// The piece [k, k + 1] of knots with knot k ≤ y < knot k + 1, or the outermost one on y's side.
std::size_t search_piece(const MonotoneSpline& t, const LinearShrinkage& mix, double y) {
  std::size_t low = 0;
  std::size_t high = t.position.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = (low + high) / 2;
    (blended_knot(t, mix, middle) <= y ? low : high) = middle;
  }
  return low;
}

/// The inverse anywhere, by binary search and as many steps as it takes.
double search_inverse(const MonotoneSpline& t, const LinearShrinkage& mix, double y) {
  if (std::isnan(y)) return y;
  if (y < blended_knot(t, mix, 0)) return invert_tail(t, mix, y, -1);
  if (y >= blended_knot(t, mix, t.position.size() - 1)) return invert_tail(t, mix, y, +1);
  const std::size_t knot = search_piece(t, mix, y);
  const double width = t.position[knot + 1] - t.position[knot];
  const Cubic z = piece(t, knot, width);
  const Cubic cubic = {blended_knot(t, mix, knot), mix.keep * z.a + mix.tilt * width, mix.keep * z.b, mix.keep * z.c};
  return t.position[knot] + width * solve(cubic, y);
}

/// Elements that one pass of the vector loops takes, and what it reads.
constexpr std::size_t strip = 256;

struct Strip {
  alignas(64) std::array<double, strip> in;
  alignas(64) std::array<double, strip> u;
  alignas(64) std::array<double, 2 * strip> position, value, slope;
  alignas(64) std::array<std::int32_t, strip> index, level;

  HermiteEnds ends() const { return {position.data(), value.data(), slope.data()}; }
};

void copy_pair(const double* from, std::array<double, 2 * strip>& to, std::size_t i) {
  std::memcpy(to.data() + 2 * i, from, 2 * sizeof(double));
}

/// As many cells as the vector loops can count; values in cells beyond are searched for.
constexpr double max_cells = 0x1p26;

/// The knots around values of y, blended: as few as hold all of those inside the spline.
struct KnotWindow {
  std::size_t first = 0;
  std::size_t count = 0;  // at least 2
  const double* value = nullptr;
  std::vector<double> storage;

  KnotWindow(const MonotoneSpline& t, const LinearShrinkage& mix, const double* y, std::size_t n) {
    const Range range = simd().spline.range(y, n);
    first = search_piece(t, mix, range.low);
    count = search_piece(t, mix, range.high) + 2 - first;
    value = t.value.data() + first;
    if (t.shrinkage == 0) return;
    storage.resize(count);
    for (std::size_t k = 0; k < count; ++k) storage[k] = blended_knot(t, mix, first + k);
    value = storage.data();
  }
};

}  // namespace

void check(const MonotoneSpline& spline) {
  check_spline(spline);
}

void forward(const MonotoneSpline& t, const double* x, double* y, double* slope, std::size_t n) {
  const SplineLoops& loops = simd().spline;
  const LinearShrinkage mix = blend_of(t);
  const SplineSegment& main = t.segments[t.main_segment];
  const CellGrid grid{main.begin, main.cell_width, 1 / main.cell_width,
                      std::min(static_cast<double>(main.cells), max_cells)};
  const std::uint32_t* cell_knot = t.cell_knot.data() + main.first_cell;
  const std::uint8_t* cell_level = t.cell_level.data() + main.first_cell;
  const std::size_t last_knot = t.position.size() - 1;
  Strip s;
  for (std::size_t begin = 0; begin < n; begin += strip) {
    const std::size_t count = std::min(strip, n - begin);
    std::copy_n(x + begin, count, s.in.begin());
    const std::size_t elsewhere = loops.locate(grid, s.in.data(), s.u.data(), s.index.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto step = static_cast<std::size_t>(s.index[i]);
      const std::size_t cell = step / SplineLoops::steps_per_cell;
      const unsigned level = cell_level[cell];
      const unsigned coarser = (SplineLoops::finest_level - level) % 64;
      const std::size_t knot = cell_knot[cell] + (step % SplineLoops::steps_per_cell >> coarser);
      // A cell that leads out of the knots, in one branch: check_spline finds it, and throws.
      if (static_cast<unsigned>(level > SplineLoops::finest_level) | static_cast<unsigned>(knot >= last_knot))
        check_spline(t);
      s.level[i] = static_cast<std::int32_t>(level);
      copy_pair(t.value.data() + knot, s.value, i);
      copy_pair(t.slope.data() + knot, s.slope, i);
    }
    loops.hermite(grid, mix, s.ends(), s.level.data(), s.in.data(), s.u.data(), y + begin, slope + begin, count);
    if (elsewhere == 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (s.u[i] >= 0) continue;
      const Point p = blended(mix, s.in[i], search_point(t, s.in[i]));
      y[begin + i] = p.value;
      slope[begin + i] = p.slope;
    }
  }
}

void inverse(const MonotoneSpline& t, const double* y, double* x, std::size_t n) {
  if (n == 0) return;
  const SplineLoops& loops = simd().spline;
  const LinearShrinkage mix = blend_of(t);
  const KnotWindow knots(t, mix, y, n);
  Strip s;
  for (std::size_t begin = 0; begin < n; begin += strip) {
    const std::size_t count = std::min(strip, n - begin);
    std::copy_n(y + begin, count, s.in.begin());
    loops.last_at_most(knots.value, knots.count - 1, s.in.data(), s.index.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto k = static_cast<std::size_t>(s.index[i]);
      copy_pair(t.position.data() + knots.first + k, s.position, i);
      copy_pair(knots.value + k, s.value, i);
      copy_pair(t.slope.data() + knots.first + k, s.slope, i);
    }
    if (loops.hermite_inverse(mix, s.ends(), s.in.data(), x + begin, count) == 0) continue;
    for (std::size_t i = 0; i < count; ++i)
      if (std::isnan(x[begin + i])) x[begin + i] = search_inverse(t, mix, s.in[i]);
  }
}

std::size_t limit_slopes(MonotoneSpline& t) {
  std::size_t lowered = 0;
  for (std::size_t k = 0; k < t.position.size(); ++k) {
    double limit = HUGE_VAL;
    if (k > 0) limit = std::min(limit, 3 * (t.value[k] - t.value[k - 1]) / (t.position[k] - t.position[k - 1]));
    if (k + 1 < t.position.size())
      limit = std::min(limit, 3 * (t.value[k + 1] - t.value[k]) / (t.position[k + 1] - t.position[k]));
    limit = std::max(limit, min_slope);
    if (t.slope[k] > limit) {
      t.slope[k] = limit;
      ++lowered;
    }
    t.slope[k] = std::max(t.slope[k], min_slope);
  }
  return lowered;
}

}  // namespace gaussianize
