#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/marginal/bandwidth.hpp"
#include "gaussianize/marginal/detail/sheather_jones.hpp"

#include "marginal/columns.hpp"
#include "support/draws.hpp"
#include "support/laws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

/// The improved Sheather–Jones rule as its authors state it, slowly: cosine coefficients of the rows themselves rather
/// than of a histogram, summed directly, and the fixed point by bisection.
double slow_sheather_jones(const Column& x) {
  const double pi = std::numbers::pi;
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double range = 1.2 * (*high - *low), begin = *low - 0.1 * (*high - *low);
  const auto n = static_cast<double>(x.size());
  std::vector<double> squares;
  for (int k = 1; k < 600; ++k) {
    double cosine = 0;
    for (const double value : x) cosine += std::cos(pi * k * (value - begin) / range);
    squares.push_back(cosine * cosine / (n * n));
  }
  // ‖f^{(s)}‖² of the estimate smoothed for time t.
  const auto norm = [&](int s, double t) {
    double sum = 0;
    for (std::size_t i = 0; i < squares.size(); ++i) {
      const double kp = static_cast<double>(i + 1) * pi;
      sum += std::pow(kp, 2 * s) * squares[i] * std::exp(-kp * kp * t);
    }
    return 2 * sum;
  };
  const auto error = [&](double t) {
    double f = norm(7, t);
    for (int s = 6; s >= 2; --s) {
      double odd = 1;
      for (int j = 1; j < 2 * s; j += 2) odd *= j;
      const double constant = (1 + std::pow(0.5, s + 0.5)) / 3;
      f = norm(s, std::pow(2 * constant * odd / std::sqrt(2 * pi) / (n * f), 2.0 / (3 + 2 * s)));
    }
    return t - std::pow(2 * n * std::sqrt(pi) * f, -0.4);
  };
  double t_low = 1e-8, t_high = t_low;
  while (error(t_high) < 0) t_low = t_high, t_high *= 1.5;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (t_low + t_high);
    (error(middle) < 0 ? t_low : t_high) = middle;
  }
  return std::sqrt(t_high) * range;
}

double fast(const Column& x) {
  return sheather_jones_bandwidth(x.data(), x.size(), robust_scale(x.data(), x.size())).value();
}

/// ½ N(0, 1) + Σ_{i=0}^{4} 0.1 N(i/2 − 1, 0.1²) [Marron & Wand 1992].
Column claw(std::size_t n, std::uint64_t seed) {
  Column x = normal_column(n, seed);
  RandomStream stream(Seed{seed}, Purpose::test, 1);
  for (double& value : x)
    if (stream.uniform() < 0.5) value = 0.5 * static_cast<double>(stream.below(5)) - 1 + 0.1 * value;
  return x;
}

}  // namespace

TEST_CASE("the bandwidth is that of a direct implementation, to 1e-3") {
  for (const NamedColumn& shape :
       {NamedColumn{"normal", normal_column(2000, 1)}, NamedColumn{"claw", claw(2000, 2)},
        NamedColumn{"clusters", clustered_column(2000, 3, 3, 12, 1)},
        NamedColumn{"exponential", exponential_column(1500, 4)}, NamedColumn{"uniform", uniform_column(1000, 5)},
        NamedColumn{"small", normal_column(100, 6)}}) {
    const Column& x = shape.x;
    CAPTURE(shape.name);
    CHECK(relative_error(fast(x), slow_sheather_jones(x)) < 1e-3);
  }
}

TEST_CASE("for normal data it is near the best, (4/(3N))^{1/5}") {
  const double best = std::pow(4.0 / 3 / 10'000, 0.2);
  for (const std::uint64_t seed : {7, 8, 9}) {
    const double h = fast(normal_column(10'000, seed));
    CHECK(h > 0.9 * best);
    CHECK(h < 1.1 * best);
  }
}

TEST_CASE("for many modes it is far below the rule of thumb, and near the best for each mode") {
  const auto ratio = [](const Column& x) {
    return select_bandwidth(x.data(), x.size(), BandwidthRule::sheather_jones) /
           select_bandwidth(x.data(), x.size(), BandwidthRule::rule_of_thumb);
  };
  CHECK(ratio(claw(10'000, 10)) < 0.4);
  const Column peaks = clustered_column(10'000, 11, 3, 20, 1);
  CHECK(ratio(peaks) < 0.12);
  // Three unit normals far apart, each with a third of the rows: R(f″) is a third of one's, so h = (4/N)^{1/5}.
  CHECK(relative_error(fast(peaks), std::pow(4.0 / 10'000, 0.2)) < 0.06);
}

TEST_CASE("select_bandwidth turns it into one for the logistic kernel") {
  const Column x = claw(3000, 12);
  CHECK(select_bandwidth(x.data(), x.size(), BandwidthRule::sheather_jones) == fast(x) * logistic_per_normal_bandwidth);
}

TEST_CASE("rows farther than 20 scales from the median do not enter") {
  Column x = normal_column(3000, 13);
  const double h = fast(x);
  x.push_back(1e9);
  x.push_back(-1e7);
  CHECK(relative_error(fast(x), h) < 1e-12);
}

TEST_CASE("columns with atoms have no such bandwidth, and the rule of thumb stands in") {
  Column two_values(500, 1.0), half_zeros = exponential_column(5000, 14), integers = normal_column(5000, 15);
  std::fill_n(two_values.begin(), 250, 2.0);
  for (std::size_t i = 0; i < 5000; i += 2) half_zeros[i] = 0;
  for (double& value : integers) value = std::round(4 * value);
  Column repeated = normal_column(5000, 16);
  for (std::size_t i = 0; i < 5000; ++i) repeated[i] = repeated[i % 50];
  for (const Column& x : {two_values, half_zeros, integers, repeated}) {
    CHECK_FALSE(sheather_jones_bandwidth(x.data(), x.size(), robust_scale(x.data(), x.size())).has_value());
    CHECK(select_bandwidth(x.data(), x.size(), BandwidthRule::sheather_jones) ==
          select_bandwidth(x.data(), x.size(), BandwidthRule::rule_of_thumb));
  }
}

TEST_CASE("a few ties, and peaks of a few bins, are no atoms") {
  Column pairs = normal_column(4000, 17);
  for (std::size_t i = 2000; i < 4000; ++i) pairs[i] = pairs[i - 2000];
  CHECK(sheather_jones_bandwidth(pairs.data(), pairs.size(), 1.0).has_value());
  // Two peaks, their distance 1500 times their width: 1.2·1500 widths are 4096 bins.
  const Column peaks = clustered_column(4000, 18, 2, 1500, 1);
  CHECK(relative_error(fast(peaks), std::pow(4.0 / 3 * 2 / 4000, 0.2)) < 0.1);
}
