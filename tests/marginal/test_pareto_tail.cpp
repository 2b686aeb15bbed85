#include <algorithm>
#include <cmath>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/marginal/detail/pareto_tail.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/normal.hpp"

#include "marginal/columns.hpp"
#include "marginal/splines.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

MonotoneSpline kernel_table(const Column& x) {
  return kde_spline(x.data(), x.size(), select_bandwidth(x.data(), x.size(), BandwidthRule::rule_of_thumb));
}

MonotoneSpline fitted_table(const Column& x) {
  MonotoneSpline spline = kernel_table(x);
  fit_tails(spline, x.data(), x.size());
  return spline;
}

double mean_log_density(const MonotoneSpline& spline, const Column& x) {
  double sum = 0;
  for (const double value : x) sum += std::log(density_at(spline, value));
  return sum / static_cast<double>(x.size());
}

/// Mean over samples of the upper tail's shape, and of its hazard relative to the true one at the knot, 1/(1 + ξ knot).
struct Recovered {
  double shape = 0.0, shape_spread = 0.0, hazard = 0.0;
};

Recovered recover(double shape, std::size_t n, std::size_t samples) {
  arma::vec shapes(samples), hazards(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const MonotoneSpline t =
        fitted_table(shape > 0 ? pareto_column(n, 300 + i, shape) : exponential_column(n, 300 + i));
    shapes[i] = t.upper.shape;
    // Of a straight tail too: dz/dx over Mills' ratio.
    const double hazard = t.slope.back() / std::exp(log_mills_ratio(t.value.back()));
    hazards[i] = hazard * (1 + shape * t.position.back());
  }
  return {arma::mean(shapes), arma::stddev(shapes), arma::mean(hazards)};
}

std::vector<double> excesses(const Column& x, double threshold) {
  std::vector<double> excess;
  for (const double value : x)
    if (value > threshold) excess.push_back(value - threshold);
  std::sort(excess.begin(), excess.end());
  return excess;
}

MonotoneSpline straight_table(const Column& x, double max_slope = HUGE_VAL) {
  MonotoneSpline spline = kernel_table(x);
  fit_tails(spline, x.data(), x.size(), {.heavy = false, .max_slope = max_slope});
  return spline;
}

/// log likelihood of the rows beyond the upper cut, had the straight tail there another slope.
double log_likelihood(MonotoneSpline spline, const Column& x, double slope) {
  spline.slope.back() = slope;
  double sum = 0;
  for (const double e : excesses(x, spline.position.back()))
    sum += std::log(density_at(spline, spline.position.back() + e));
  return sum;
}

}  // namespace

TEST_CASE("the slope of a straight tail is the likeliest one") {
  for (const auto draw : {exponential_column, normal_column, cauchy_column}) {
    const Column x = draw(4000, 230);
    const MonotoneSpline t = straight_table(x);
    REQUIRE(t.upper.straight);
    const double slope = t.slope.back(), best = log_likelihood(t, x, slope);
    // Flat at the top, and lower to either side.
    CHECK(log_likelihood(t, x, 0.9 * slope) < best);
    CHECK(log_likelihood(t, x, 1.1 * slope) < best);
    CHECK(std::abs(log_likelihood(t, x, 1.001 * slope) - log_likelihood(t, x, 0.999 * slope)) <
          1e-3 * (best - log_likelihood(t, x, 1.1 * slope)));
  }
}

TEST_CASE("normal rows are given straight tails with slope 1, and no tail is steeper than it may be") {
  arma::vec slopes(40), straight(40);
  for (arma::uword i = 0; i < slopes.n_elem; ++i) {
    const Column x = normal_column(5000, 240 + i);
    const MonotoneSpline t = fitted_table(x);
    straight[i] = t.upper.straight;
    slopes[i] = straight_table(x).slope.back();
    const MonotoneSpline flat = straight_table(x, 0.7);
    CHECK(flat.upper.straight);
    CHECK(flat.lower.straight);
    CHECK(flat.slope.back() <= 0.7);
    CHECK(flat.slope.front() <= 0.7);
  }
  CHECK(arma::mean(slopes) > 0.93);
  CHECK(arma::mean(slopes) < 1.03);
  CHECK(arma::mean(straight) > 0.5);
}

TEST_CASE("a column whose rows end ends: beyond a uniform one draws go by a few hundredths of its range") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    RandomStream stream(Seed{seed}, Purpose::test, 9);
    Column x(5000);
    for (double& value : x) value = stream.uniform();
    // A kernel as wide as a normal column's would blur the end; the first layers choose theirs by likelihood.
    MonotoneSpline t = kde_spline(x.data(), x.size(), select_bandwidth(x.data(), x.size(), BandwidthRule::likelihood));
    fit_tails(t, x.data(), x.size());
    CHECK(inverse_at(t, 4.5) < 1.06);
    CHECK(inverse_at(t, -4.5) > -0.06);
  }
}

TEST_CASE("a straight tail is straight, and inverted exactly, however far") {
  const Column x = normal_column(2000, 250);
  for (const double shrinkage : {0.0, 0.3, 1.0}) {
    const MonotoneSpline t = blended_with(straight_table(x), shrinkage, 0.1, 2.0);
    const double slope = slope_at(t, 10.0);
    for (const double at : {-1e12, -1e3, -9.0, 9.0, 50.0, 1e6}) {
      CAPTURE(at);
      CHECK(relative_error(slope_at(t, at), at > 0 ? slope : slope_at(t, -10.0)) < 1e-14);
      CHECK(std::abs(inverse_at(t, value_at(t, at)) - at) <= 1e-14 * std::abs(at));
    }
    CHECK(relative_error(value_at(t, 20.0) - value_at(t, 10.0), 10 * slope) < 1e-14);
  }
}

TEST_CASE("after cutting the spline is sound, for every shape of data") {
  for (const std::size_t n : {50UL, 51UL, 200UL, 3000UL})
    for (const NamedColumn& shape : column_shapes(n, 200 + n)) {
      const Column& x = shape.x;
      CAPTURE(n);
      CAPTURE(shape.name);
      const MonotoneSpline before = kernel_table(x), after = fitted_table(x);
      CHECK(spline_fault(after) == "");
      CHECK(after.position.size() <= before.position.size());
      CHECK(after.main_segment < after.segments.size());
      // What is left lies where it lay.
      for (const double at : {0.3, 0.5, 0.6}) {
        const double z = normal_quantile(at);
        const double where = inverse_at(before, z);
        if (z > after.value[2] && z < after.value[after.value.size() - 3])
          CHECK(absolute_error(value_at(after, where), z) < 5e-10);
      }
    }
}

TEST_CASE("the middle keeps its knots, and only the outermost slopes change") {
  const Column x = normal_column(2000, 210);
  const MonotoneSpline before = kernel_table(x), after = fitted_table(x);
  REQUIRE(after.position.size() < before.position.size());
  const auto first = std::find(before.position.begin(), before.position.end(), after.position.front());
  REQUIRE(first != before.position.end());
  const auto offset = static_cast<std::size_t>(first - before.position.begin());
  for (std::size_t k = 0; k < after.position.size(); ++k) {
    CHECK(after.position[k] == before.position[offset + k]);
    CHECK(after.value[k] == before.value[offset + k]);
    if (k > 0 && k + 1 < after.position.size()) CHECK(after.slope[k] == before.slope[offset + k]);
  }
  // About √2000 ≈ 45 rows are left beyond each cut, to a cell's worth.
  const auto beyond = [&](double from, double sign) {
    return std::count_if(x.begin(), x.end(), [&](double v) { return sign * (v - from) > 0; });
  };
  for (const auto& [from, sign] : {std::pair(after.position.front(), -1.0), std::pair(after.position.back(), 1.0)}) {
    CHECK(beyond(from, sign) <= 50);
    CHECK(beyond(from, sign) >= 15);
  }
}

TEST_CASE("shape and hazard are Hosking and Wallis's, of the excesses over the cut") {
  const std::vector<Column> columns{pareto_column(4000, 216, 0.2), pareto_column(4000, 216, 0.5),
                                    cauchy_column(4000, 216)};
  for (const Column& x : columns) {
    const MonotoneSpline t = fitted_table(x);
    REQUIRE_FALSE(t.upper.straight);
    const std::vector<double> excess = excesses(x, t.position.back());
    const auto n = static_cast<double>(excess.size());
    REQUIRE(n >= 30);
    // a_s = E e (1 − G(e))^s with 1 − G(e_j) = 1 − (j − 0.35)/n, j = 1 … n; ξ = 2 − a₀/(a₀ − 2a₁).
    double a0 = 0, a1 = 0;
    for (std::size_t i = 0; i < excess.size(); ++i) {
      const double rank = static_cast<double>(i) + 1;
      a0 += excess[i] / n;
      a1 += excess[i] * (1 - (rank - 0.35) / n) / n;
    }
    const double shape = std::clamp(2 - a0 / (a0 - 2 * a1) - 1 / std::sqrt(n), 0.0, 0.9);
    CHECK(relative_error(t.upper.shape, shape) < 1e-14);
    const double median = excess[excess.size() / 2];
    const double rate = shape > 0.3 ? (std::pow(2, shape) - 1) / (shape * median) : 1 / (a0 * (1 - shape));
    CHECK(relative_error(t.upper.rate, rate) < 1e-14);
    CHECK(relative_error(t.upper.log_mass, log_normal_cdf(-t.value.back())) < 1e-14);
  }
}

TEST_CASE("an exponential tail is found: shape near 0, hazard near 1") {
  for (const std::size_t n : {1000UL, 10'000UL}) {
    const Recovered r = recover(0, n, 40);
    CHECK(r.shape < 0.05);
    CHECK(r.hazard > 0.8);
    CHECK(r.hazard < 1.1);
  }
}

TEST_CASE("a Pareto tail is found, from below: the shape less its standard error") {
  // √n = 100 and 316 excesses: a standard error of about 0.13 and 0.09, of which 1/√excesses is subtracted.
  const Recovered small = recover(0.5, 10'000, 40), large = recover(0.5, 100'000, 20);
  CHECK(small.shape > 0.25);
  CHECK(small.shape < 0.5);
  CHECK(large.shape > 0.33);
  CHECK(large.shape < 0.5);
  CHECK(large.shape_spread < 0.15);
  CHECK(relative_error(large.hazard, 1) < 0.05);
  // And told from a lighter and a heavier one.
  CHECK(recover(0.2, 100'000, 20).shape < large.shape - 0.1);
  CHECK(recover(0.8, 100'000, 20).shape > large.shape + 0.1);
}

TEST_CASE("new rows of a heavy-tailed distribution are likelier under the fitted tails than under the kernel's") {
  const Column x = pareto_column(5000, 211, 0.5), fresh = pareto_column(20'000, 212, 0.5);
  CHECK(mean_log_density(fitted_table(x), fresh) > mean_log_density(kernel_table(x), fresh) + 0.05);
  // For a light tail nothing to speak of is lost.
  const Column y = normal_column(5000, 213), more = normal_column(20'000, 214);
  CHECK(mean_log_density(fitted_table(y), more) > mean_log_density(kernel_table(y), more) - 0.005);
}

TEST_CASE("a cut that falls before a group of outliers is moved to where they begin") {
  // 10 000 rows leave 100 for a tail: with about as many outliers the cut falls into the gap, where z is level.
  for (const std::size_t outliers : {97UL, 99UL, 100UL, 101UL, 103UL})
    for (const double sign : {-1.0, 1.0}) {
      CAPTURE(outliers);
      CAPTURE(sign);
      Column x = normal_column(10'000, 215);
      for (std::size_t i = 0; i < outliers; ++i) x[i] = sign * 1000 + x[i];
      MonotoneSpline kernel = kde_spline(x.data(), x.size(), 0.1), spline = kernel;
      fit_tails(spline, x.data(), x.size());
      CHECK(spline_fault(spline) == "");
      // Either it holds rows of the main group too, and reaches a thousand out, or the outliers' own spread.
      CHECK((sign > 0 ? spline.slope.back() : spline.slope.front()) > 1e-4);
      CHECK(mean_log_density(spline, x) > mean_log_density(kernel, x) - 0.1);
    }
}

TEST_CASE("a heaviest group that is cut away leaves another as the main one") {
  std::vector<double> x;
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < (k == 5 ? 10 : 8); ++i) x.push_back(100 * k + 0.3 * i);
  MonotoneSpline spline = kde_spline(x.data(), x.size(), 1.0);
  REQUIRE(spline.main_segment == 5);
  fit_tails(spline, x.data(), x.size());
  CHECK(spline.segments.size() < 6);
  CHECK(spline.main_segment < spline.segments.size());
}

TEST_CASE("splines of fewer than 50 rows are left as they are") {
  for (const std::size_t n : {2UL, 20UL, 49UL})
    for (const NamedColumn& shape : column_shapes(n, 220)) {
      const Column& x = shape.x;
      CAPTURE(shape.name);
      CHECK(same_table(kernel_table(x), fitted_table(x)));
    }
}

TEST_CASE("without heavy tails, a spline that keeps the kernel's is straight beyond its outermost knots") {
  for (const std::size_t n : {2UL, 20UL, 49UL}) {
    const Column x = normal_column(n, 231);
    const MonotoneSpline kernel = kernel_table(x), straight = straight_table(x);
    CHECK(straight.position == kernel.position);
    CHECK(spline_fault(straight) == "");
    const double end = straight.position.back();
    CHECK(slope_at(straight, end + 1e6) == straight.slope.back());
    CHECK(std::abs(inverse_at(straight, value_at(straight, end + 1e6)) / (end + 1e6) - 1) < 1e-14);
  }
}

TEST_CASE("a tail without usable rows is left as it is") {
  // Exponential data end at 0: the kernel's lower tail holds next to no row.
  const Column x = exponential_column(2000, 221);
  const MonotoneSpline before = kernel_table(x), after = fitted_table(x);
  CHECK(after.position.front() == before.position.front());
  CHECK(after.lower.rate == before.lower.rate);
  CHECK(after.lower.shape == 0);
  CHECK(after.position.back() < before.position.back());
}

TEST_CASE("ties: two values, many equal outermost rows, and a spike in the middle") {
  Column two(400, 0.0), edge = normal_column(400, 222), spike = normal_column(1000, 223);
  std::fill_n(two.begin(), 200, 1.0);
  for (double& value : edge) value = std::clamp(value, -1.0, 1.0);
  std::fill_n(spike.begin(), 600, 0.1);
  for (const Column& x : {two, edge, spike}) {
    const MonotoneSpline spline = fitted_table(x);
    CHECK(spline_fault(spline) == "");
    CHECK(std::isfinite(mean_log_density(spline, x)));
    for (const double z : {-8.0, -3.0, 0.0, 3.0, 8.0})
      CHECK(absolute_error(value_at(spline, inverse_at(spline, z)), z) < 1e-12);
  }
}

TEST_CASE("fitted tails follow the unit") {
  Column x = cauchy_column(3000, 224);
  const MonotoneSpline a = fitted_table(x);
  for (double& value : x) value *= 1024;
  const MonotoneSpline b = fitted_table(x);
  CHECK(relative_error(b.upper.shape, a.upper.shape) < 1e-14);
  CHECK(relative_error(b.upper.rate * 1024, a.upper.rate) < 1e-14);
  CHECK(relative_error(b.lower.log_mass, a.lower.log_mass) < 1e-14);
}
