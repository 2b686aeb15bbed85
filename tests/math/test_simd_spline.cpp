#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/simd.hpp"

#include "math/oracle.hpp"
#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/draws.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bits;
using gaussianize::testing::uniforms;
using oracle::infinity;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr std::size_t table_lengths[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 255, 256, 257, 1000};

/// Cubics of n elements on a grid, with slopes between `least` and `most` times the secant's. A table's may have none
/// at all or three times as much, but seldom have.
struct Pieces {
  std::vector<double> position, value, slope;
  std::vector<std::int32_t> level;

  Pieces(std::size_t n, double width, double least = 0.0, double most = 3.0)
      : position(2 * n), value(2 * n), slope(2 * n), level(n) {
    RandomStream stream(Seed{n}, Purpose::test, 7);
    for (std::size_t i = 0; i < n; ++i) {
      level[i] = static_cast<std::int32_t>(stream.below(5));
      const double rise = std::exp(6 * stream.uniform() - 5);
      position[2 * i] = 10 * stream.uniform() - 5;
      position[2 * i + 1] = position[2 * i] + width;
      value[2 * i] = 6 * stream.uniform() - 3;
      value[2 * i + 1] = value[2 * i] + rise;
      for (const std::size_t k : {2 * i, 2 * i + 1})
        slope[k] = (least + (most - least) * stream.uniform()) * rise / width;
    }
  }
  HermiteEnds ends() const { return {position.data(), value.data(), slope.data()}; }
};

struct Value {
  double y, slope;
};

/// The reference loop of `hermite`, one element.
Value plain_hermite(const CellGrid& g, const LinearShrinkage& mix, const Pieces& p, std::size_t i, double x, double u) {
  const double pieces = std::ldexp(1.0, p.level[i]);
  const double s = u * pieces - std::floor(u * pieces);
  const double width = g.width / pieces;
  const double rise = p.value[2 * i + 1] - p.value[2 * i];
  const double left = p.slope[2 * i] * width;
  const double right = p.slope[2 * i + 1] * width;
  const double b = 3 * rise - 2 * left - right;
  const double c = left + right - 2 * rise;
  const double z = p.value[2 * i] + s * (left + s * (b + s * c));
  const double slope = std::max(1e-300, (left + s * (2 * b + s * 3 * c)) * (g.inverse_width * pieces));
  return {mix.keep * z + mix.tilt * (x - mix.shift), mix.keep * slope + mix.tilt};
}

/// y on the piece of element i at x, in extended precision.
long double exact_y(const LinearShrinkage& mix, const Pieces& p, std::size_t i, long double x) {
  const long double width = static_cast<long double>(p.position[2 * i + 1]) - p.position[2 * i];
  const long double s = (x - p.position[2 * i]) / width;
  const long double rise = static_cast<long double>(p.value[2 * i + 1]) - p.value[2 * i];
  const long double left = (static_cast<long double>(mix.keep) * p.slope[2 * i] + mix.tilt) * width;
  const long double right = (static_cast<long double>(mix.keep) * p.slope[2 * i + 1] + mix.tilt) * width;
  return p.value[2 * i] + s * (left + s * ((3 * rise - 2 * left - right) + s * (left + right - 2 * rise)));
}

/// How far y at x is from what it should be, in units of the roundings of the piece's values and of x; large outside.
double inverse_error(const LinearShrinkage& mix, const Pieces& p, std::size_t i, double y, double x) {
  if (!(x >= p.position[2 * i] && x <= p.position[2 * i + 1])) return 1e300;
  const double width = p.position[2 * i + 1] - p.position[2 * i];
  const double steepest = 3 * (p.value[2 * i + 1] - p.value[2 * i]) / width + mix.tilt;
  const double unit =
      epsilon * (std::abs(p.value[2 * i]) + std::abs(p.value[2 * i + 1]) + steepest * (std::abs(x) + width));
  return static_cast<double>(std::abs(exact_y(mix, p, i, x) - y)) / unit;
}

const CellGrid grid{-5.0, 0.37, 1 / 0.37, 27.0};

}  // namespace

TEST_CASE("a value is located in the cell that holds it") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t n : table_lengths) {
      std::vector<double> x = uniforms(n, -7.0, 7.0, n);
      if (n > 8) x[3] = infinity, x[4] = -infinity, x[5] = std::nan(""), x[6] = grid.begin, x[7] = -1e300;
      std::vector<double> u(n);
      std::vector<std::int32_t> step(n);
      const std::size_t elsewhere = loops.spline.locate(grid, x.data(), u.data(), step.data(), n);
      std::size_t count = 0;
      bool good = true;
      for (std::size_t i = 0; i < n; ++i) {
        const double place = (x[i] - grid.begin) * grid.inverse_width;
        const bool inside = place >= 0 && place < grid.cells;
        count += inside ? 0 : 1;
        good = good && same_bits(u[i], inside ? place : -1.0) &&
               step[i] == (inside ? static_cast<std::int32_t>(std::floor(16 * place)) : 0);
      }
      INFO(loops.name, ", n = ", n);
      CHECK(good);
      CHECK(elsewhere == count);
    }
}

TEST_CASE("the grid ends where its last cell does") {
  for (const SimdLoops& loops : available_simd()) {
    const CellGrid unit{0.0, 1.0, 1.0, 4.0};
    const std::array<double, 4> x{0.0, -5e-324, std::nextafter(4.0, 0.0), 4.0};
    std::array<double, 4> u{};
    std::array<std::int32_t, 4> step{};
    CHECK(loops.spline.locate(unit, x.data(), u.data(), step.data(), 4) == 2);
    CHECK(step == std::array<std::int32_t, 4>{0, 0, 63, 0});
    CHECK(u == std::array<double, 4>{0.0, -1.0, x[2], -1.0});
  }
}

TEST_CASE("Hermite's cubics have the bits of the reference loop") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t n : table_lengths)
      for (const LinearShrinkage& mix : {LinearShrinkage{}, LinearShrinkage{0.7, 0.21, 0.4}}) {
        const Pieces p(n, grid.width);
        const std::vector<double> x = uniforms(n, -4.99, 4.9, n);
        std::vector<double> u(n), y(n), slope(n);
        std::vector<std::int32_t> step(n);
        REQUIRE(loops.spline.locate(grid, x.data(), u.data(), step.data(), n) == 0);
        loops.spline.hermite(grid, mix, p.ends(), p.level.data(), x.data(), u.data(), y.data(), slope.data(), n);
        bool same = true;
        for (std::size_t i = 0; i < n; ++i) {
          const Value expected = plain_hermite(grid, mix, p, i, x[i], u[i]);
          same = same && same_bits(y[i], expected.y) && same_bits(slope[i], expected.slope);
        }
        INFO(loops.name, ", n = ", n);
        CHECK(same);
      }
}

TEST_CASE("a cubic without slope gets the minimum slope") {
  for (const SimdLoops& loops : available_simd()) {
    Pieces p(1, 1.0);
    p.level = {0};
    p.value = {2.0, 2.0};
    p.slope = {1e-310, 1e-310};
    const double x = 0.5, u = 0.5;
    double y = 0, slope = 0;
    loops.spline.hermite({0, 1, 1, 1}, {}, p.ends(), p.level.data(), &x, &u, &y, &slope, 1);
    CHECK(y == 2.0);
    CHECK(slope == 1e-300);
  }
}

TEST_CASE("the inverse of a cubic leaves rounding errors alone") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t n : {std::size_t{1}, std::size_t{37}, std::size_t{20'000}})
      for (const LinearShrinkage& mix : {LinearShrinkage{}, LinearShrinkage{0.7, 1e-3, 0.4}})
        for (const Pieces& p : {Pieces(n, 0.1), Pieces(n, 0.1, 0.7, 1.4)}) {
          INFO(loops.name, ", n = ", n);
          const std::vector<double> s = uniforms(n, 0.0, 1.0, n, 3);
          std::vector<double> y(n), x(n);
          for (std::size_t i = 0; i < n; ++i) y[i] = p.value[2 * i] + s[i] * (p.value[2 * i + 1] - p.value[2 * i]);
          const std::size_t missing = loops.spline.hermite_inverse(mix, p.ends(), y.data(), x.data(), n);
          CHECK(std::count_if(x.begin(), x.end(), [](double v) { return std::isnan(v); }) == missing);
          double worst = 0;
          for (std::size_t i = 0; i < n; ++i)
            if (!std::isnan(x[i])) worst = std::max(worst, inverse_error(mix, p, i, y[i], x[i]));
          CHECK(worst <= 2.0);
        }
}

TEST_CASE("the inverse of a cubic settles where the cubic bends as little as those of tables do") {
  const std::size_t n = 20'000;
  const Pieces p(n, 0.1, 0.7, 1.4);
  const std::vector<double> s = uniforms(n, 0.0, 1.0, n, 3);
  std::vector<double> y(n), x(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = p.value[2 * i] + s[i] * (p.value[2 * i + 1] - p.value[2 * i]);
  for (const SimdLoops& loops : available_simd())
    CHECK(loops.spline.hermite_inverse({}, p.ends(), y.data(), x.data(), n) == 0);
}

TEST_CASE("the inverse of a cubic is NaN where it has none or does not settle") {
  const double nan = std::nan("");
  //                        below, at, inside, at the end, above; no rise; NaN; slopes that vanish where y is
  const std::vector<double> y{0.9, 1.0, 1.5, 2.0, 2.1, 1.0, nan, 1.0 + 1e-14};
  Pieces p(y.size(), 1.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    p.position[2 * i] = 4.0;
    p.position[2 * i + 1] = 5.0;
    p.value[2 * i] = 1.0;
    p.value[2 * i + 1] = i == 5 ? 1.0 : 2.0;
    p.slope[2 * i] = p.slope[2 * i + 1] = i == 7 ? 1e-300 : 1.0;
  }
  for (const SimdLoops& loops : available_simd()) {
    std::vector<double> x(y.size());
    CHECK(loops.spline.hermite_inverse({}, p.ends(), y.data(), x.data(), y.size()) == 6);
    CHECK(x[1] == 4.0);
    CHECK(testing::relative_error(x[2], 4.5) < 1e-15);
    for (const std::size_t i : {0, 3, 4, 5, 6, 7}) CHECK(std::isnan(x[i]));
  }
}

TEST_CASE("an element of the inverse has the same bits in every table, at any position") {
  const std::size_t n = 300;
  const Pieces p(n, 0.1);
  const LinearShrinkage mix{0.7, 0.1, 0.4};
  std::vector<double> y(n), first(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = 0.3 * p.value[2 * i] + 0.7 * p.value[2 * i + 1];
  available_simd()[0].spline.hermite_inverse(mix, p.ends(), y.data(), first.data(), n);
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t start : {0, 1, 5})
      for (const std::size_t count : table_lengths) {
        if (start + count > n) continue;
        std::vector<double> x(count);
        const HermiteEnds ends{p.position.data() + 2 * start, p.value.data() + 2 * start, p.slope.data() + 2 * start};
        loops.spline.hermite_inverse(mix, ends, y.data() + start, x.data(), count);
        bool same = true;
        for (std::size_t i = 0; i < count; ++i) same = same && same_bits(x[i], first[start + i]);
        INFO(loops.name, ", ", count, " from ", start);
        CHECK(same);
      }
}

TEST_CASE("the search finds what std::upper_bound finds") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t count : table_lengths) {
      std::vector<double> sorted = uniforms(count, -3.0, 3.0, count);
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t k = 4; k + 3 < count; k += 9) sorted[k] = sorted[k + 1] = sorted[k + 2] = sorted[k + 3];
      std::vector<double> y = uniforms(500, -3.5, 3.5, 500);
      y.insert(y.end(), sorted.begin(), sorted.end());
      y.insert(y.end(), {-infinity, infinity, std::nan("")});
      std::vector<std::int32_t> index(y.size());
      loops.spline.last_at_most(sorted.data(), count, y.data(), index.data(), y.size());
      bool good = true;
      for (std::size_t i = 0; i + 1 < y.size(); ++i) {
        const auto after = std::upper_bound(sorted.begin(), sorted.end(), y[i]) - sorted.begin();
        good = good && index[i] == std::max<std::ptrdiff_t>(after - 1, 0);
      }
      INFO(loops.name, ", ", count, " values");
      CHECK(good);
      CHECK(index.back() == 0);
    }
}
