#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/bandwidth.hpp"

#include "marginal/columns.hpp"
#include "marginal/direct.hpp"
#include "support/laws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

constexpr BandwidthRule rules[] = {BandwidthRule::rule_of_thumb, BandwidthRule::sheather_jones,
                                   BandwidthRule::likelihood};

double select(const Column& x, BandwidthRule rule) {
  return select_bandwidth(x.data(), x.size(), rule);
}

double scale_of(const Column& x) {
  return robust_scale(x.data(), x.size());
}

Column transformed(Column x, double factor, double shift) {
  for (double& value : x) value = factor * value + shift;
  return x;
}

/// The bandwidth of largest exact leave-one-out likelihood on a grid of ratio 1.002 over a factor 10 either way, where
/// rows to which the others give less than 5e-4 of their own kernel count as if they gave that.
double brute_force(const Column& x, double start) {
  double best = 0, best_value = -HUGE_VAL;
  const double log_step = std::log(1.002);
  const auto value_at = [&](double h) {
    double sum = 0;
    const double least = std::log(5e-4 * 0.25 / (h * static_cast<double>(x.size() - 1)));
    for (const double log_density : direct_leave_one_out(x, h)) sum += std::max(log_density, least);
    return sum;
  };
  // Coarse first: every twelfth point of the grid, then those around the best.
  const auto scan = [&](int from, int to, int stride) {
    int where = from;
    for (int i = from; i <= to; i += stride)
      if (const double value = value_at(start * std::exp(i * log_step)); value > best_value) {
        best_value = value;
        best = start * std::exp(i * log_step);
        where = i;
      }
    return where;
  };
  const int centre = scan(-1152, 1152, 24);
  scan(std::max(-1152, centre - 24), std::min(1152, centre + 24), 1);
  return best;
}

}  // namespace

TEST_CASE("the rule of thumb is s (4√π/(π⁴N))^{1/5}") {
  const double pi = std::numbers::pi;
  for (const double s : {1e-3, 1.0, 70.0})
    for (const std::size_t n : {2UL, 100UL, 1'000'000UL})
      CHECK(relative_error(rule_of_thumb_bandwidth(s, n),
                           s * std::pow(4 * std::sqrt(pi) / (std::pow(pi, 4) * static_cast<double>(n)), 0.2)) < 1e-14);
  const Column x = cauchy_column(777, 1);
  CHECK(select(x, BandwidthRule::rule_of_thumb) == rule_of_thumb_bandwidth(scale_of(x), 777));
}

TEST_CASE("logistic_per_normal_bandwidth is (3√π/π⁴)^{1/5}, the ratio of the kernels' canonical bandwidths") {
  const double pi = std::numbers::pi;
  CHECK(relative_error(logistic_per_normal_bandwidth, std::pow(3 * std::sqrt(pi) / std::pow(pi, 4), 0.2)) < 1e-15);
  // From the kernels themselves: δ = (R(K)/μ₂²)^{1/5}, by quadrature for the logistic one.
  const auto logistic = [](double t) { return 0.25 / std::pow(std::cosh(t / 2), 2); };
  const std::vector<double> breaks = even_grid(-30, 30, 120);
  const double roughness = integral([&](double t) { return logistic(t) * logistic(t); }, breaks, 1);
  const double variance = integral([&](double t) { return t * t * logistic(t); }, breaks, 1);
  const double normal = std::pow(0.5 / std::sqrt(pi), 0.2);
  CHECK(relative_error(logistic_per_normal_bandwidth, std::pow(roughness / (variance * variance), 0.2) / normal) <
        1e-14);
}

TEST_CASE("the rule of thumb is what is best for normal data, for the logistic kernel") {
  // h = (R(K)/(μ₂² R(φ″) N))^{1/5} with R(K) = 1/6, μ₂ = π²/3, R(φ″) = 3/(8√π).
  const double pi = std::numbers::pi;
  const double best = std::pow((1.0 / 6) / (std::pow(pi, 4) / 9 * 3 / (8 * std::sqrt(pi)) * 1e4), 0.2);
  CHECK(relative_error(rule_of_thumb_bandwidth(1, 10'000), best) < 1e-14);
}

TEST_CASE("robust_scale is the spread of normal data, and no spike or outlier spoils it") {
  CHECK(relative_error(scale_of(normal_column(100'000, 2)), 1) < 0.05);
  CHECK(relative_error(scale_of(with_first(normal_column(1000, 3), 1e10)), 1) < 0.05);
  // Half of the rows are one value: the interquartile range is that of one side at most, yet not 0.
  Column spike = normal_column(1000, 4);
  for (std::size_t i = 0; i < spike.size(); ++i)
    if (i % 5 != 0) spike[i] = 0.25;
  CHECK(scale_of(spike) > 0.005);
  CHECK(scale_of(spike) < 1);
  // All but one equal: whatever there is.
  CHECK(scale_of(with_first(Column(1000, 2.0), 3.0)) > 0);
  CHECK(relative_error(scale_of({1.0, 1.5}), 0.25) < 1e-14);
  CHECK(scale_of(Column(3, 1e308)) == 0);
  CHECK(relative_error(scale_of({-1.5e308, 1.5e308}), 1.5e308) < 1e-14);
}

TEST_CASE("robust_scale is the least of deviation and quartiles, but not below a fiftieth of the outer quantiles") {
  for (const std::size_t n : {2UL, 3UL, 4UL, 5UL, 19UL, 20UL, 2047UL, 2048UL})
    for (const NamedColumn& shape : column_shapes(n, 20 + n)) {
      const Column& x = shape.x;
      CAPTURE(n);
      CAPTURE(shape.name);
      Column sorted = x;
      std::sort(sorted.begin(), sorted.end());
      const auto quantile = [&](double p) {
        return sorted[static_cast<std::size_t>(std::lround(p * static_cast<double>(n - 1)))];
      };
      long double mean = 0, variance = 0;
      for (const double value : x) mean += value / static_cast<long double>(n);
      for (const double value : x) variance += (value - mean) * (value - mean) / static_cast<long double>(n);
      const auto deviation = static_cast<double>(std::sqrt(variance));
      const double wide = std::min(deviation, (quantile(0.95) - quantile(0.05)) / 3.2897073);
      double expected = std::max(std::min(deviation, (quantile(0.75) - quantile(0.25)) / 1.3489795), wide / 50);
      expected = expected > 0 ? std::max(expected, 1e-10 * deviation) : deviation;
      CHECK(relative_error(scale_of(x), expected) < 1e-9);
    }
}

TEST_CASE("a spread that is rounding beside the whole column's is none") {
  // All rows but one are 0.1 up to rounding.
  Column x = normal_column(100, 25);
  for (double& value : x) value = 0.1 + 3e-16 * value;
  x[0] = 7;
  CHECK(scale_of(x) >= 1e-11);
}

TEST_CASE("robust_scale is 0 for a constant column whatever rounding its mean has, and for an empty one") {
  for (const double value : {0.1, 1.0 / 3, -12345.678, 1e300, 1e-310, 0.0})
    for (const std::size_t n : {1UL, 2UL, 3UL, 7UL, 10UL, 1001UL, 5000UL}) CHECK(scale_of(Column(n, value)) == 0);
  CHECK(scale_of({}) == 0);
}

TEST_CASE("too few rows, constant columns and values that are not finite are DataErrors") {
  for (const BandwidthRule rule : rules) {
    CHECK_THROWS_AS(select({}, rule), DataError);
    CHECK_THROWS_AS(select({1.0}, rule), DataError);
    CHECK_THROWS_WITH_AS(select(Column(10, 0.1), rule), "constant (0.1): it has no density; drop it", DataError);
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
      for (const std::size_t row : {0UL, 17UL}) {
        Column x = normal_column(50, 5);
        x[row] = bad;
        std::string message;
        try {
          select(x, rule);
        } catch (const DataError& error) {
          message = error.what();
        }
        CHECK(message.starts_with(concat("row ", row, " is ")));
      }
    CHECK(select({1.0, 2.0}, rule) > 0);
  }
}

TEST_CASE("bandwidths follow the unit and the origin: h(1000x + 51) = 1000 h(x)") {
  for (const BandwidthRule rule : rules)
    for (const NamedColumn& shape :
         {NamedColumn{"normal", normal_column(700, 6)}, NamedColumn{"Cauchy", cauchy_column(700, 7)},
          NamedColumn{"exponential", exponential_column(700, 8)},
          NamedColumn{"clusters", clustered_column(700, 9, 2, 10, 1)}}) {
      const Column& x = shape.x;
      CAPTURE(shape.name);
      CAPTURE(static_cast<int>(rule));
      const double h = select(x, rule);
      CHECK(relative_error(select(transformed(x, 1000, 51), rule), 1000 * h) < 1e-9);
      // Mirrored, quantiles may be those of neighbouring rows and the lattice starts at the other end.
      CHECK(relative_error(select(transformed(x, -1e-7, 0), rule), 1e-7 * h) < 0.02);
    }
}

TEST_CASE("the likelihood rule finds the best exact leave-one-out likelihood, to 1 %") {
  for (const NamedColumn& shape :
       {NamedColumn{"normal", normal_column(400, 10)}, NamedColumn{"exponential", exponential_column(400, 11)},
        NamedColumn{"two clusters", clustered_column(400, 12, 2, 20, 1)},
        NamedColumn{"uniform", uniform_column(300, 13)}, NamedColumn{"few", normal_column(15, 14)},
        NamedColumn{"Laplace", laplace_column(400, 15)}}) {
    const Column& x = shape.x;
    CAPTURE(shape.name);
    const double exact = brute_force(x, select(x, BandwidthRule::rule_of_thumb));
    CHECK(relative_error(select(x, BandwidthRule::likelihood), exact) < 0.01);
  }
}

TEST_CASE("the likelihood rule stays within a factor 10 of the rule of thumb") {
  // Ties: the likelihood grows without bound as h falls.
  Column ties = normal_column(100, 16);
  for (std::size_t i = 50; i < 100; ++i) ties[i] = ties[i - 50];
  const double thumb = select(ties, BandwidthRule::rule_of_thumb);
  const double h = select(ties, BandwidthRule::likelihood);
  CHECK(h >= thumb / 10 * (1 - 1e-9));
  CHECK(h <= thumb / 10 * 1.01);
  // Three rows so far apart that the wider the better.
  const Column apart{0.0, 1e-3, 1e3};
  const double wide = select(apart, BandwidthRule::likelihood);
  CHECK(wide <= select(apart, BandwidthRule::rule_of_thumb) * 10 * (1 + 1e-9));
}
