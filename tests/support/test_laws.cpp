#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "support/bytes.hpp"
#include "support/laws.hpp"
#include "support/statistics.hpp"

using namespace gaussianize::testing;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double logistic_density(double x) {
  return 0.25 / (std::cosh(x / 2) * std::cosh(x / 2));
}

}  // namespace

TEST_CASE("relative_error is symmetric and never lets a NaN pass") {
  CHECK(relative_error(0.0, 0.0) == 0.0);
  CHECK(relative_error(relative_error(1.0, 1.5), 1.0 / 3) < 1e-14);
  CHECK(relative_error(-2.0, 2.0) == 2.0);
  CHECK(relative_error(relative_error(1e-320, 2e-320), 0.5) < 1e-14);
  CHECK_FALSE(relative_error(not_a_number, 1.0) < 1e300);
  CHECK_FALSE(relative_error(1.0, not_a_number) < 1e300);
}

TEST_CASE("absolute_error never lets a NaN pass, and a tolerance means what it says for small values") {
  CHECK(absolute_error(1.0, 1.5) == 0.5);
  CHECK(absolute_error(-1.5, -1.5) == 0.0);
  CHECK_FALSE(absolute_error(not_a_number, 1.0) < 1e300);
  CHECK_FALSE(absolute_error(not_a_number, not_a_number) < 1e300);
  // 5 % of 0.01 is 0.0005: a value of 0.06 is none of it.
  CHECK_FALSE(relative_error(0.06, 0.01) < 0.05);
  CHECK_FALSE(relative_error(0.0, 0.01) < 0.05);
  CHECK(relative_error(0.0104, 0.01) < 0.05);
}

TEST_CASE("numeric_derivative is exact for degree six and rejects a slope that is off by 1e-6") {
  const auto polynomial = [](double x) { return std::pow(x, 6) - 3 * std::pow(x, 5) + x; };
  const auto slope = [](double x) { return 6 * std::pow(x, 5) - 15 * std::pow(x, 4) + 1; };
  for (const double x : {-1.5, 0.3, 2.0}) {
    CHECK(relative_error(numeric_derivative(polynomial, x, 0.01), slope(x)) < 1e-11);
    CHECK(relative_error(numeric_derivative(polynomial, x, 0.01), slope(x) * (1 + 1e-6)) > 9e-7);
  }
  CHECK(relative_error(numeric_derivative([](double x) { return std::exp(x); }, 1.0, 0.01), std::exp(1.0)) < 1e-12);
}

TEST_CASE("increasing rejects a plateau, a dip and what is not finite") {
  const std::vector<double> grid = even_grid(-1, 1, 1000);
  REQUIRE(grid.size() == 1001);
  REQUIRE(grid.back() == 1.0);
  CHECK(increasing([](double x) { return x * x * x + 1e-9 * x; }, grid));
  CHECK_FALSE(increasing([](double x) { return std::max(x, -0.997); }, grid));
  CHECK_FALSE(increasing([](double x) { return x + 0.002 * std::sin(1000 * x); }, grid));
  CHECK_FALSE(increasing([](double x) { return x < 0.9985 ? x : HUGE_VAL; }, grid));
  CHECK_FALSE(increasing([](double x) { return x < 0.0 ? x : not_a_number; }, grid));
}

TEST_CASE("integral reaches into exponential and power tails") {
  const std::vector<double> breaks = even_grid(-3, 3, 12);
  CHECK(relative_error(integral(logistic_density, breaks, 1.0), 1.0) < 1e-14);
  const auto cauchy = [](double x) { return 1 / (3.14159265358979323846 * (1 + x * x)); };
  CHECK(relative_error(integral(cauchy, breaks, 1.0), 1.0) < 1e-14);
  const auto student = [](double x) { return 0.5 * std::pow(1 + x * x, -1.5); };
  CHECK(relative_error(integral(student, breaks, 1.0), 1.0) < 1e-14);
}

TEST_CASE("integrates_to_one rejects a density that is off by 3e-6, in the middle or in a tail") {
  const std::vector<double> breaks = even_grid(-3, 3, 12);
  CHECK(integrates_to_one(logistic_density, breaks, 1.0));
  CHECK_FALSE(integrates_to_one([](double x) { return logistic_density(x) * (1 + 3e-6); }, breaks, 1.0));
  // The upper tail beyond 3 holds 0.047.
  CHECK_FALSE(
      integrates_to_one([](double x) { return logistic_density(x) * (x > 3 ? 1 + 6.4e-5 : 1.0); }, breaks, 1.0));
  CHECK_FALSE(integrates_to_one([](double x) { return x > 0 ? not_a_number : logistic_density(x); }, breaks, 1.0));
}

TEST_CASE("same_bytes tells zeros of different sign apart, and lengths") {
  const std::vector<double> a{0.0, 1.0}, b{-0.0, 1.0}, c{0.0};
  CHECK(same_bytes(a, a));
  CHECK_FALSE(same_bytes(a, b));
  CHECK_FALSE(same_bytes(a, c));
  CHECK(same_bytes({}, {}));
}

TEST_CASE("the tests of fit reject what is off by little") {
  std::vector<double> sample;
  for (int i = 0; i < 10'000; ++i) {
    // A low-discrepancy sequence with a little noise of the right order: √n D near 0.8.
    sample.push_back(std::fmod(i * 0.6180339887498949, 1.0) + 0.008 * std::sin(6.283185307179586 * i / 10'000));
  }
  const auto uniform = [](double x) { return std::clamp(x, 0.0, 1.0); };
  const auto skewed = [](double x) { return std::pow(std::clamp(x, 0.0, 1.0), 1.1); };
  CHECK(kolmogorov_statistic(sample, uniform) < 1.95);
  CHECK(kolmogorov_statistic(sample, skewed) > 1.95);
  CHECK(uniformity_p_value({1000, 1010, 990}) > 0.5);
  CHECK(uniformity_p_value({1000, 1150, 850}) < 1e-6);
  CHECK(relative_error(uniformity_p_value({5, 0}), 0.02534731867746824) < 1e-14);
}
