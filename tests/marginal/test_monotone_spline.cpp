#include <cmath>
#include <limits>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <doctest/doctest.h>

#include "gaussianize/marginal/monotone_spline.hpp"
#include "gaussianize/math/normal.hpp"

#include "marginal/splines.hpp"
#include "support/bytes.hpp"
#include "support/laws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

/// Two segments with a gap: cells of levels 0, 2, 1 from −2 on, each 1 wide, and of levels 0, 3 from 5 on, each 0.5
/// wide. z = sinh-like values whose slopes are those of a smooth function, and different tails.
MonotoneSpline hand_made(double lower_shape, double upper_shape) {
  MonotoneSpline t;
  const auto z = [](double x) { return std::asinh(x - 1) + 0.05 * x; };
  const auto dz = [](double x) { return 1 / std::sqrt(1 + (x - 1) * (x - 1)) + 0.05; };
  t.segments = {{-2.0, 1.0, 0, 3}, {5.0, 0.5, 3, 2}};
  t.cell_level = {0, 2, 1, 0, 3};
  t.main_segment = 0;
  std::size_t cell = 0;
  for (const SplineSegment& s : t.segments) {
    for (std::size_t c = 0; c < s.cells; ++c, ++cell) {
      t.cell_knot.push_back(static_cast<std::uint32_t>(t.position.size()));
      const unsigned pieces = 1U << t.cell_level[cell];
      for (unsigned p = 0; p < pieces; ++p)
        t.position.push_back(s.begin + s.cell_width * (static_cast<double>(c) + static_cast<double>(p) / pieces));
    }
    t.position.push_back(s.begin + s.cell_width * static_cast<double>(s.cells));
  }
  for (const double x : t.position) {
    t.value.push_back(z(x));
    t.slope.push_back(dz(x));
  }
  const auto tail = [](double u, double slope, double shape) {
    return Tail{log_normal_cdf(u), slope / std::exp(log_mills_ratio(-u)), shape};
  };
  t.lower = tail(t.value.front(), t.slope.front(), lower_shape);
  t.upper = tail(-t.value.back(), t.slope.back(), upper_shape);
  return t;
}

/// Hermite's interpolant by its basis, in extended precision, by a linear search for the piece.
long double hermite(const MonotoneSpline& t, double x) {
  std::size_t k = 0;
  while (t.position[k + 1] <= x) ++k;
  const long double w = static_cast<long double>(t.position[k + 1]) - t.position[k];
  const long double s = (static_cast<long double>(x) - t.position[k]) / w;
  return (1 + 2 * s) * (1 - s) * (1 - s) * t.value[k] + s * s * (3 - 2 * s) * t.value[k + 1] +
         w * (s * (1 - s) * (1 - s) * t.slope[k] - s * s * (1 - s) * t.slope[k + 1]);
}

}  // namespace

TEST_CASE("spline_fault accepts a sound spline and finds what is wrong with others") {
  const MonotoneSpline sound = hand_made(0, 0.5);
  CHECK(spline_fault(sound) == "");
  const auto fault = [&](auto spoil) {
    MonotoneSpline t = sound;
    spoil(t);
    return spline_fault(t);
  };
  CHECK(fault([](MonotoneSpline& t) { t.position[2] += 1e-9; }) == "knot 2 is off the grid");
  CHECK(fault([](MonotoneSpline& t) { t.cell_knot[2] += 1; }) == "cell 2");
  CHECK(fault([](MonotoneSpline& t) { t.cell_level[1] = 1; }) != "");
  CHECK(fault([](MonotoneSpline& t) { t.segments[1].first_cell = 2; }) != "");
  CHECK(fault([](MonotoneSpline& t) { t.segments[1].cells = 1; }) != "");
  CHECK(fault([](MonotoneSpline& t) { t.main_segment = 2; }) == "main_segment");
  CHECK(fault([](MonotoneSpline& t) { t.value[3] = t.value[2] - 1e-9; }) != "");
  CHECK(fault([](MonotoneSpline& t) { t.slope[3] = 0; }) == "knot 3");
  CHECK(fault([](MonotoneSpline& t) { t.slope[4] *= 4; }) != "");
  CHECK(fault([](MonotoneSpline& t) { t.upper.rate *= 1 + 1e-8; }) == "upper tail");
  CHECK(fault([](MonotoneSpline& t) { t.lower.log_mass -= 1e-9; }) == "lower tail");
  CHECK(fault([](MonotoneSpline& t) { t.lower.log_mass = std::nan(""); }) == "lower tail");
}

TEST_CASE("same_table sees a change of any part") {
  const MonotoneSpline a = hand_made(0, 0.5);
  const auto differs = [&](auto change) {
    MonotoneSpline b = a;
    change(b);
    return !same_table(a, b);
  };
  CHECK(same_table(a, a));
  CHECK(differs([](MonotoneSpline& t) { t.slope[4] = std::nextafter(t.slope[4], 9); }));
  CHECK(differs([](MonotoneSpline& t) { t.cell_level[0] = 1; }));
  CHECK(differs([](MonotoneSpline& t) { t.main_segment = 1; }));
  CHECK(differs([](MonotoneSpline& t) { t.upper.shape = 0.25; }));
  CHECK(differs([](MonotoneSpline& t) { t.shift = -0.0; }));
  CHECK(differs([](MonotoneSpline& t) { t.segments[0].cells = 2; }));
}

TEST_CASE("between knots y is Hermite's cubic, in either segment and in the gap") {
  for (const std::uint64_t main : {0, 1}) {
    MonotoneSpline t = hand_made(0, 0.5);
    t.main_segment = main;
    const MonotoneSpline b = blended_with(t, 0.25, 0.5, 2);
    for (int i = 0; i < 8000; ++i) {
      const double x = -2 + 8 * (i / 8000.0);
      const auto z = static_cast<double>(hermite(t, x));
      CHECK(std::abs(value_at(t, x) - z) < 2e-15);
      CHECK(std::abs(value_at(b, x) - (0.75 * z + 0.25 * (x - 0.5) / 2)) < 2e-15);
    }
    for (std::size_t k = 0; k < t.position.size(); ++k) {
      CHECK(relative_error(value_at(t, t.position[k]), t.value[k]) < 1e-15);
      CHECK(relative_error(slope_at(t, t.position[k]), t.slope[k]) < 1e-14);
    }
  }
}

TEST_CASE("beyond the knots log P is (T2), to the last digits and however far out") {
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  for (const double shape : {0.0, 1e-9, 0.1, 0.5, 1.0}) {
    CAPTURE(shape);
    const MonotoneSpline t = hand_made(shape, shape);
    for (const double e : {0.0, 1e-8, 0.1, 3.0, 50.0, 1e4, 1e8}) {
      CAPTURE(e);
      for (const double sign : {-1.0, 1.0}) {
        const Tail& tail = sign < 0 ? t.lower : t.upper;
        const double knot = sign < 0 ? t.position.front() : t.position.back();
        const double x = knot + sign * e;
        // The excess that the spline sees, once x is a double.
        const Quad excess = abs(Quad(x) - knot);
        const Quad grown = Quad(tail.shape) * tail.rate * excess;
        const Quad log_p =
            tail.log_mass - (tail.shape > 0 ? Quad(log1p(grown) / tail.shape) : Quad(tail.rate * excess));
        const double log_tail = log_normal_cdf(-sign * value_at(t, x));
        CHECK(relative_error(log_tail, static_cast<double>(log_p)) < 4e-15);
      }
    }
  }
}

TEST_CASE("limit_slopes makes an overshooting spline increase, and says how many slopes it lowered") {
  MonotoneSpline t;
  t.position = {0, 1, 2, 3, 4};
  t.value = {-1, -0.9, 1, 1.05, 1.05};
  t.slope = {0.1, 5, 0.5, 0.01, 0.0};
  t.segments = {{0.0, 1.0, 0, 4}};
  t.cell_knot = {0, 1, 2, 3};
  t.cell_level = {0, 0, 0, 0};
  t.lower = {log_normal_cdf(-1), 1, 0};
  t.upper = {log_normal_cdf(-1.05), 1, 0};
  const std::vector<double> grid = even_grid(0, 3, 3000);
  const auto y = [&](double x) { return value_at(t, x); };
  REQUIRE_FALSE(increasing(y, grid));
  // Three slopes exceed thrice a chord: knots 1 (0.1), 2 (0.05) and 3 (0).
  CHECK(limit_slopes(t) == 3);
  CHECK(t.slope[0] == 0.1);
  CHECK(relative_error(t.slope[1], 0.3) < 1e-14);
  CHECK(relative_error(t.slope[2], 0.15) < 1e-14);
  CHECK(t.slope[3] == 1e-300);
  CHECK(t.slope[4] == 1e-300);
  CHECK(increasing(y, grid));
  CHECK(limit_slopes(t) == 0);
}

TEST_CASE("where z is flat the slope is still positive and the inverse lies in the flat piece") {
  MonotoneSpline t = hand_made(0, 0);
  // A plateau from the first segment to the second.
  const std::size_t k = t.cell_knot[3];
  t.value[k] = t.value[k - 1];
  limit_slopes(t);
  for (const double x : {1.0, 1.5, 3.0, 4.999, 5.0}) CHECK(slope_at(t, x) >= 1e-300);
  const double x = inverse_at(t, t.value[k]);
  CHECK(x >= 1.0);
  CHECK(x <= 5.0);
  // Blended, the plateau has a slope of its own.
  const MonotoneSpline b = blended_with(t, 0.5, 0, 1);
  for (const double at : {1.0, 1.5, 3.0, 4.999, 5.0}) CHECK(relative_error(inverse_at(b, value_at(b, at)), at) < 1e-14);
}

TEST_CASE("a spline blended wholly is the standardising map") {
  const MonotoneSpline b = blended_with(hand_made(0, 0.5), 1, -3, 7);
  for (const double x : {-1e9, -50.0, -1.3, 0.2, 3.0, 5.3, 80.0, 1e9}) {
    CHECK(relative_error(value_at(b, x), (x + 3) / 7) < 1e-15);
    CHECK(relative_error(slope_at(b, x), 1.0 / 7) < 1e-15);
    CHECK(relative_error(inverse_at(b, value_at(b, x)), x) < 1e-14);
  }
}

TEST_CASE("NaN in is NaN out, and the inverse of an infinity is one") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double shrinkage : {0.0, 0.3}) {
    const MonotoneSpline b = blended_with(hand_made(0, 0.5), shrinkage, 0, 1);
    CHECK(std::isnan(value_at(b, std::nan(""))));
    CHECK(std::isnan(slope_at(b, std::nan(""))));
    CHECK(std::isnan(inverse_at(b, std::nan(""))));
    CHECK(inverse_at(b, infinity) == infinity);
    CHECK(inverse_at(b, -infinity) == -infinity);
  }
}

TEST_CASE("an array is its elements one by one, in place as well") {
  const MonotoneSpline t = blended_with(hand_made(0, 0.5), 0.25, 0.5, 2);
  std::vector<double> x = even_grid(-30, 30, 1001), y(x.size()), slope(x.size()), back(x.size());
  forward(t, x.data(), y.data(), slope.data(), x.size());
  inverse(t, y.data(), back.data(), y.size());
  std::vector<double> in_place = x, slope_again(x.size());
  forward(t, in_place.data(), in_place.data(), slope_again.data(), x.size());
  CHECK(same_bytes(in_place, y));
  CHECK(same_bytes(slope_again, slope));
  inverse(t, in_place.data(), in_place.data(), x.size());
  CHECK(same_bytes(in_place, back));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double one[] = {value_at(t, x[i]), slope_at(t, x[i]), inverse_at(t, y[i])};
    const double many[] = {y[i], slope[i], back[i]};
    CHECK(same_bytes(one, many));
  }
}
