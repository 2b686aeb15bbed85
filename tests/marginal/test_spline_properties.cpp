#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/detail/pareto_tail.hpp"
#include "gaussianize/marginal/kde.hpp"

#include "marginal/columns.hpp"
#include "marginal/splines.hpp"
#include "support/laws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

struct NamedTable {
  std::string name;
  MonotoneSpline spline;
  double low = 0.0, high = 0.0;  // of the data
};

/// Kernel splines of every shape, with the kernel's tails and with fitted ones, plain and blended.
std::vector<NamedTable> splines() {
  std::vector<NamedTable> all;
  for (const std::size_t n : {2UL, 30UL, 1500UL})
    for (const NamedColumn& shape : column_shapes(n, 90)) {
      const Column& x = shape.x;
      const double scale = robust_scale(x.data(), n);
      const double h = rule_of_thumb_bandwidth(scale, n) * (shape.name == "three clusters" ? 0.02 : 1);
      const MonotoneSpline kernel = kde_spline(x.data(), n, h);
      MonotoneSpline fitted = kernel;
      fit_tails(fitted, x.data(), n);
      const auto [low, high] = std::minmax_element(x.begin(), x.end());
      for (const double shrinkage : {0.0, 0.05, 0.5, 1.0})
        for (const bool tails : {false, true})
          all.push_back({concat(shape.name, ", n = ", n, ", blend ", shrinkage, tails ? ", fitted tails" : ""),
                         blended_with(tails ? fitted : kernel, shrinkage, x[n / 2], scale), *low, *high});
    }
  return all;
}

/// What rounding makes of a difference quotient of y over `step`, x being a double itself.
double rounding(const MonotoneSpline& t, double x, double y, double slope, double step) {
  const double knots = std::max(std::abs(t.position.front()), std::abs(t.position.back()));
  return 2e-15 * ((1 + std::abs(y)) + slope * std::max(std::abs(x), knots)) / step;
}

bool slope_is_derivative(const MonotoneSpline& t, double x, double step) {
  const double numeric = numeric_derivative([&](double at) { return value_at(t, at); }, x, step);
  const double slope = slope_at(t, x);
  return std::abs(slope - numeric) <= 1e-6 * slope + rounding(t, x, value_at(t, x), slope, step);
}

/// Breaks for quadrature: the knots, points about the blend's bump, which a gap would hide, and points that space out
/// as a tail does, for the bump may lie far out in one.
std::vector<double> quadrature_breaks(const MonotoneSpline& t) {
  std::vector<double> breaks = t.position;
  if (t.shrinkage > 0) {
    const double reach = 20 * t.scale / t.shrinkage;
    for (int i = -80; i <= 80; ++i) breaks.push_back(t.shift + reach * i / 80.0);
    for (double e = 0.1 / t.lower.rate; e < 2 * reach; e *= 1.3) breaks.push_back(t.position.front() - e);
    for (double e = 0.1 / t.upper.rate; e < 2 * reach; e *= 1.3) breaks.push_back(t.position.back() + e);
  }
  std::sort(breaks.begin(), breaks.end());
  return breaks;
}

}  // namespace

TEST_CASE("the slope is the derivative, within every piece and in both tails") {
  for (const NamedTable& named : splines()) {
    const MonotoneSpline& t = named.spline;
    CAPTURE(named.name);
    int wrong = 0;
    for (std::size_t k = 0; k + 1 < t.position.size(); ++k) {
      const double width = t.position[k + 1] - t.position[k];
      wrong += !slope_is_derivative(t, t.position[k] + width / 2, width / 7);
    }
    for (const double rates : {0.1, 1.0, 30.0, 1000.0}) {
      const auto tail = [&](const Tail& part, double knot, double sign) {
        const double excess = rates / part.rate;
        const double step = 0.02 * std::min(1 / part.rate + part.shape * excess, excess);
        return slope_is_derivative(t, knot + sign * excess, step);
      };
      wrong += !tail(t.lower, t.position.front(), -1);
      wrong += !tail(t.upper, t.position.back(), +1);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("slope_is_derivative rejects a spline whose slopes are off by 1e-5") {
  NamedTable sound = splines()[0];
  MonotoneSpline& t = sound.spline;
  const std::size_t k = t.position.size() / 2;
  const double width = t.position[k + 1] - t.position[k];
  const double x = t.position[k] + width / 2;
  const auto numeric = numeric_derivative([&](double at) { return value_at(t, at); }, x, width / 7);
  CHECK(slope_is_derivative(t, x, width / 7));
  CHECK(relative_error(numeric, slope_at(t, x) * (1 + 1e-5)) > 5e-6);
}

TEST_CASE("value and slope are continuous at every knot, tails included") {
  for (const NamedTable& named : splines()) {
    const MonotoneSpline& t = named.spline;
    CAPTURE(named.name);
    int wrong = 0;
    for (std::size_t k = 0; k < t.position.size(); ++k) {
      const double x = t.position[k];
      const double left = std::nextafter(x, -HUGE_VAL), right = std::nextafter(x, HUGE_VAL);
      const double width = std::min(k > 0 ? x - t.position[k - 1] : HUGE_VAL,
                                    k + 1 < t.position.size() ? t.position[k + 1] - x : HUGE_VAL);
      const double steepest =
          std::max({t.slope[k > 0 ? k - 1 : 0], t.slope[k], t.slope[std::min(k + 1, t.slope.size() - 1)]}) +
          t.shrinkage / t.scale;
      // Within a rounding of x a cubic's slope changes by no more than this.
      const double moved = steepest * (1e-12 + 40 * (right - left) / width);
      wrong += !(std::abs(value_at(t, right) - value_at(t, left)) <=
                 2e-14 * (1 + std::abs(t.value[k])) + 4 * steepest * (right - left));
      wrong += !(std::abs(slope_at(t, right) - slope_at(t, left)) <= moved);
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("the map increases: strictly where a grid can tell, nowhere down") {
  for (const NamedTable& named : splines()) {
    const MonotoneSpline& t = named.spline;
    CAPTURE(named.name);
    const double h = t.bandwidth;
    const auto y = [&](double x) { return value_at(t, x); };
    // Segment by segment, a few tail widths beyond.
    for (const SplineSegment& s : t.segments) {
      const double end = s.begin + static_cast<double>(s.cells) * s.cell_width;
      const std::vector<double> grid = even_grid(s.begin - 5 * h, end + 5 * h, 3000);
      if (t.shrinkage > 0 && std::abs(s.begin) < 1e8) CHECK(increasing(y, grid));
      // In the padding around a cluster z itself is level to the last bit, and there rounding is all that moves.
      int down = 0;
      for (std::size_t i = 1; i < grid.size(); ++i)
        down += !(y(grid[i]) - y(grid[i - 1]) >= -1e-15 * (1 + std::abs(y(grid[i]))));
      CHECK(down == 0);
    }
    std::vector<double> far;
    for (int i = -24; i <= 24; ++i)
      far.push_back((i < 0 ? named.low : named.high) +
                    (i < 0 ? -1 : 1) * (named.high - named.low + h) * std::pow(10, std::abs(i) / 4.0));
    std::sort(far.begin(), far.end());
    CHECK(increasing(y, far));
  }
}

TEST_CASE("without gaps the unblended map increases strictly on a dense grid") {
  for (const NamedTable& named : splines()) {
    const MonotoneSpline& t = named.spline;
    if (t.segments.size() > 1) continue;
    CAPTURE(named.name);
    CHECK(increasing([&](double x) { return value_at(t, x); },
                     even_grid(t.position.front() - 10 * t.bandwidth, t.position.back() + 10 * t.bandwidth, 5000)));
  }
}

TEST_CASE("the density φ(y) dy/dx integrates to one") {
  for (const NamedTable& named : splines()) {
    const MonotoneSpline& t = named.spline;
    CAPTURE(named.name);
    const double scale = t.shrinkage > 0 ? std::min(t.scale / t.shrinkage, 1 / t.upper.rate) : 1 / t.upper.rate;
    CHECK(integrates_to_one([&](double x) { return density_at(t, x); }, quadrature_breaks(t), scale));
  }
}

TEST_CASE("inverse ∘ forward is the identity on blended splines, a million and 1e50 scales out as well") {
  for (const NamedTable& named : splines()) {
    const MonotoneSpline& t = named.spline;
    if (t.shrinkage == 0) continue;
    CAPTURE(named.name);
    std::vector<double> points = even_grid(named.low - 5 * t.scale, named.high + 5 * t.scale, 500);
    for (const double factor : {10.0, 1e3, 1e6, 1e50})
      for (const double sign : {-1.0, 1.0}) points.push_back(t.shift + sign * factor * t.scale);
    for (const SplineSegment& s : t.segments)
      for (int i = 0; i < 200; ++i) points.push_back(s.begin + s.cell_width * static_cast<double>(s.cells) * i / 199.0);
    double worst = 0;
    for (const double x : points) {
      const double back = inverse_at(t, value_at(t, x));
      // Relative to the map's own unit; values of 1e10 cost their neighbours in the same gap their last digits.
      const double error = std::abs(back - x) / (1 + std::abs(x) + 1e-6 * (t.position.back() - t.position.front()));
      worst = std::isfinite(error) ? std::max(worst, error) : HUGE_VAL;
    }
    CHECK(worst < 1e-9);
  }
}

TEST_CASE("forward ∘ inverse is the identity for z within 8 and far beyond") {
  for (const NamedTable& named : splines()) {
    const MonotoneSpline& t = named.spline;
    CAPTURE(named.name);
    double worst = 0;
    std::vector<double> values = even_grid(-8, 8, 800);
    for (const double z : {-30.0, -20.0, -12.0, 12.0, 20.0, 30.0}) values.push_back(z);
    for (const double z : values) {
      const double x = inverse_at(t, z);
      REQUIRE(std::isfinite(x));
      // x can be told from its neighbours only to a rounding.
      const double reach = std::max({std::abs(x), std::abs(t.position.front()), std::abs(t.position.back())});
      const double error = std::abs(value_at(t, x) - z) / (1 + std::abs(z) + 1e-5 * slope_at(t, x) * reach);
      worst = std::isfinite(error) ? std::max(worst, error) : HUGE_VAL;
    }
    CHECK(worst < 1e-10);
  }
}
