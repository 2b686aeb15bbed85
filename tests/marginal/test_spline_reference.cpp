#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/random.hpp"
#include "gaussianize/marginal/bandwidth.hpp"
#include "gaussianize/marginal/detail/pareto_tail.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/normal.hpp"

#include "marginal/splines.hpp"
#include "math/reference_table.hpp"
#include "support/closeness.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

/// Two modes, a far third group that makes a gap, and a lone outlier.
std::vector<double> rows_with_gaps(std::size_t n) {
  RandomStream stream(Seed{n}, Purpose::test);
  std::vector<double> x(n);
  for (double& v : x) {
    const double z = normal_quantile(stream.uniform());
    const double which = stream.uniform();
    v = which < 0.6 ? z : which < 0.9 ? 4 + 0.2 * z : 40 + z;
  }
  x[n / 2] = -300;
  return x;
}

std::vector<MonotoneSpline> splines(const std::vector<double>& x) {
  const MonotoneSpline plain =
      kde_spline(x.data(), x.size(), select_bandwidth(x.data(), x.size(), BandwidthRule::rule_of_thumb));
  MonotoneSpline fitted = plain;
  fit_tails(fitted, x.data(), x.size());
  return {plain, blended_with(plain, 0.3, 1.5, 7.0), fitted, blended_with(fitted, 0.05, 1.5, 7.0),
          blended_with(plain, 1.0, 1.5, 7.0)};
}

bool in_main_segment(const MonotoneSpline& t, double x) {
  const SplineSegment& main = t.segments[t.main_segment];
  const double u = (x - main.begin) * (1 / main.cell_width);
  return u >= 0 && u < static_cast<double>(main.cells);
}

}  // namespace

TEST_CASE("forward has the bits of the reference loop on the main segment") {
  const std::vector<double> x = rows_with_gaps(5000);
  for (const MonotoneSpline& spline : splines(x)) {
    std::vector<double> y(x.size()), slope(x.size());
    forward(spline, x.data(), y.data(), slope.data(), x.size());
    std::size_t compared = 0;
    bool same = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!in_main_segment(spline, x[i])) continue;
      const reference::Value expected = reference::forward(spline, x[i]);
      same = same && y[i] == expected.y && slope[i] == expected.slope;
      ++compared;
    }
    CHECK(same);
    CHECK(compared > 2000);
  }
}

TEST_CASE("inverse agrees with the reference loop between the outermost knots, by what y is rounded to") {
  const std::vector<double> x = rows_with_gaps(5000);
  for (const MonotoneSpline& spline : splines(x)) {
    std::vector<double> y(x.size()), slope(x.size()), back(x.size());
    forward(spline, x.data(), y.data(), slope.data(), x.size());
    inverse(spline, y.data(), back.data(), x.size());
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] < spline.position.front() || x[i] >= spline.position.back()) continue;
      const double difference = std::abs(back[i] - reference::inverse(spline, y[i]));
      worst = std::max(worst,
                       difference * slope[i] /
                           (1e-16 * std::max(1.0, std::abs(y[i])) + 1e-16 * slope[i] * std::max(1.0, std::abs(x[i]))));
    }
    CHECK(worst <= 30);
  }
}

TEST_CASE("an element of forward and inverse has the same bits whatever surrounds it, and in place") {
  const std::vector<double> x = rows_with_gaps(1000);
  for (const MonotoneSpline& spline : splines(x)) {
    std::vector<double> y(x.size()), slope(x.size()), back(x.size());
    forward(spline, x.data(), y.data(), slope.data(), x.size());
    inverse(spline, y.data(), back.data(), x.size());
    for (const std::size_t start : {0, 1, 3, 499, 500})
      for (const std::size_t n : {1, 2, 7, 8, 9, 63, 255, 256, 257, 400}) {
        std::vector<double> part(x.begin() + static_cast<std::ptrdiff_t>(start),
                                 x.begin() + static_cast<std::ptrdiff_t>(start + n));
        std::vector<double> part_slope(n);
        forward(spline, part.data(), part.data(), part_slope.data(), n);
        bool same = true;
        for (std::size_t i = 0; i < n; ++i) same = same && part[i] == y[start + i] && part_slope[i] == slope[start + i];
        inverse(spline, part.data(), part.data(), n);
        for (std::size_t i = 0; i < n; ++i) same = same && part[i] == back[start + i];
        INFO(n, " from ", start);
        CHECK(same);
      }
  }
}

TEST_CASE("robust_scale is its definition") {
  for (const std::size_t n : {2, 3, 5, 20, 2047, 2048, 2049, 10'000}) {
    const std::vector<double> x = rows_with_gaps(n);
    CHECK(relative_error(robust_scale(x.data(), n), reference::robust_scale(x)) < 1e-14);
  }
}

TEST_CASE("a tail's inverse is reached from any blend, shape and distance") {
  const std::vector<double> x = rows_with_gaps(5000);
  MonotoneSpline spline = splines(x)[2];
  for (const double shape : {0.0, 1e-9, 0.3, 1.0})
    for (const double shrinkage : {1e-12, 1e-3, 0.3, 0.499, 0.501, 0.9, 1.0})
      for (const double scale : {1e-6, 1.0, 1e6}) {
        spline.lower.shape = spline.upper.shape = shape;
        const MonotoneSpline mixed = blended_with(spline, shrinkage, 1.5, scale);
        const double low = value_at(mixed, spline.position.front());
        const double high = value_at(mixed, spline.position.back());
        for (const double beyond : {1e-13, 1e-6, 0.1, 1.0, 5.0, 30.0, 1e3})
          for (const double y :
               {low - beyond * std::max(1.0, std::abs(low)), high + beyond * std::max(1.0, std::abs(high))}) {
            const double at = inverse_at(mixed, y);
            if (!std::isfinite(at)) continue;
            INFO("shape ", shape, ", blend ", shrinkage, ", scale ", scale, ", y ", y, ", x ", at);
            // An error in y of a few roundings of what it is a sum of, and what the rounding of x makes of it.
            const double size =
                std::abs(y) + mixed.shrinkage / scale * (std::abs(at) + 1.5) + std::abs(at) * slope_at(mixed, at);
            CHECK(std::abs(value_at(mixed, at) - y) <= 2e-15 * size + 1e-15);
          }
      }
}
