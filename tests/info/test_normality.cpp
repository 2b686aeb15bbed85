#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <armadillo>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <doctest/doctest.h>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/info/normality.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/draws.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

/// P(A² ≤ a) by the series of Anderson and Darling's paper, each integral by quadrature: no part of it is in the
/// library.
double limit_cdf(double a) {
  const double pi = std::numbers::pi;
  boost::math::quadrature::tanh_sinh<double> rule;
  double sum = 0;
  double coefficient = 1;  // (−1)^j Γ(j + ½)/(Γ(½) j!)
  for (int j = 0; j < 30; ++j) {
    const double t = (4 * j + 1) * (4 * j + 1) * pi * pi / (8 * a);
    // ∫₀^∞ exp(a/(8(w² + 1)) − t w²) dw, over where the second term leaves anything.
    const double reach = std::sqrt(750 / t);
    const double integral =
        rule.integrate([&](double w) { return std::exp(a / (8 * (w * w + 1)) - t * w * w); }, 0.0, reach);
    sum += coefficient * (4 * j + 1) * std::exp(-t) * integral;
    coefficient *= -(j + 0.5) / (j + 1);
  }
  return std::sqrt(2 * pi) / a * sum;
}

using PValue = std::function<double(const NormalityReport&)>;

const std::pair<std::string, PValue> tests[] = {
    {"first column", [](const NormalityReport& r) { return r.columns[0].p_value; }},
    {"norms", [](const NormalityReport& r) { return r.norms.p_value; }},
    {"correlations", [](const NormalityReport& r) { return r.correlations.p_value; }},
    {"magnitudes", [](const NormalityReport& r) { return r.magnitude_correlations.p_value; }}};

std::vector<NormalityReport> null_reports(std::size_t rows, std::size_t columns, std::size_t count) {
  std::vector<NormalityReport> reports(count);
  parallel_for(count, 0, [&](std::size_t i) { reports[i] = test_normality(normals(rows, columns, 5000 + i), 1); });
  return reports;
}

}  // namespace

TEST_CASE("the limit distribution of A² agrees with its classical series and critical values") {
  for (const double a : {0.2, 0.5, 1.0, 1.933, 2.492, 3.857, 6.0})
    CHECK(std::abs(anderson_darling_p_value(a) - (1 - limit_cdf(a))) < 1e-10);
  CHECK(std::abs(anderson_darling_p_value(1.9329578327) - 0.10) < 1e-9);
  CHECK(std::abs(anderson_darling_p_value(2.4923671600) - 0.05) < 1e-9);
  CHECK(std::abs(anderson_darling_p_value(3.8781250216) - 0.01) < 1e-9);
  // Far out, √3 erfc(√a)(1 + 11/(36a)) up to O(a⁻²).
  for (const double a : {30.0, 100.0, 600.0}) {
    const double tail = std::sqrt(3.0) * std::erfc(std::sqrt(a)) * (1 + 11 / (36 * a));
    CHECK(relative_error(anderson_darling_p_value(a), tail) < 0.12 / (a * a));
  }
  CHECK(anderson_darling_p_value(0.04) == 1);
  CHECK(1 - anderson_darling_p_value(0.0501) < 1e-9);
  CHECK(anderson_darling_p_value(HUGE_VAL) == 0);
}

TEST_CASE("A² of a sample, by its definition") {
  const std::vector<double> u = {0.3, 0.9, 0.55, 0.02};
  std::vector<double> lower, upper;
  for (const double value : u) {
    lower.push_back(std::log(value));
    upper.push_back(std::log1p(-value));
  }
  const double expected = -4 - (1 * (std::log(0.02) + std::log(0.1)) + 3 * (std::log(0.3) + std::log(0.45)) +
                                5 * (std::log(0.55) + std::log(0.7)) + 7 * (std::log(0.9) + std::log(0.98))) /
                                   4;
  CHECK(std::abs(anderson_darling(lower, upper) - expected) < 1e-13);
}

TEST_CASE("Holm's adjustment") {
  const std::vector<double> adjusted = holm_adjusted({0.01, 0.04, 0.03, 0.005});
  const std::vector<double> expected = {0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < 4; ++i) CHECK(relative_error(adjusted[i], expected[i]) < 1e-15);
  CHECK(holm_adjusted({0.9, 0.8}) == std::vector<double>{1.0, 1.0});
}

TEST_CASE("p-values are uniform under N(0, I), for few and many rows and for N < D") {
  for (const auto& shape : {std::pair(10UL, 2UL), {200UL, 2UL}, {300UL, 8UL}, {20UL, 40UL}}) {
    const auto rows = shape.first, columns = shape.second;
    const std::vector<NormalityReport> reports = null_reports(rows, columns, 1000);
    CAPTURE(rows);
    CAPTURE(columns);
    for (const auto& test : tests) {
      CAPTURE(test.first);
      std::vector<double> p;
      for (const NormalityReport& report : reports) p.push_back(test.second(report));
      CHECK(kolmogorov_statistic(p, [](double u) { return u; }) < 1.95);
    }
    double overall = 0, columns_rejected = 0;
    for (const NormalityReport& report : reports) {
      overall += report.p_value < 0.05 ? 1 : 0;
      columns_rejected += arma::vec(report.adjusted_p_values).min() < 0.05 ? 1 : 0;
    }
    // Bounds of four standard deviations around 5 %; Bonferroni's is an upper bound, and close to it for independent
    // tests.
    CHECK(overall < 78);
    CHECK(overall > 15);
    CHECK(columns_rejected < 78);
    CHECK(columns_rejected > 22);
  }
}

TEST_CASE("each test finds what it is for, and the others do not") {
  const arma::mat z = normals(2000, 4, 1);
  CHECK(test_normality(z).p_value > 0.01);

  arma::mat shifted = z;
  shifted.col(2) += 0.2;
  NormalityReport report = test_normality(shifted);
  CHECK(report.adjusted_p_values[2] < 1e-6);
  CHECK(report.adjusted_p_values[0] > 0.01);
  CHECK(report.p_value < 1e-5);

  arma::mat correlated = z;
  correlated.col(1) = 0.2 * z.col(0) + std::sqrt(0.96) * z.col(1);
  report = test_normality(correlated);
  CHECK(report.correlations.p_value < 1e-6);
  CHECK(report.adjusted_p_values[1] > 0.01);

  // One random sign and one random size for two columns: uncorrelated, each normal, sizes equal.
  arma::mat sizes = z;
  for (arma::uword i = 0; i < z.n_rows; ++i) sizes(i, 1) = std::abs(z(i, 0)) * (z(i, 1) > 0 ? 1 : -1);
  report = test_normality(sizes);
  CHECK(report.magnitude_correlations.p_value < 1e-12);
  CHECK(report.norms.p_value < 1e-6);
  CHECK(report.correlations.p_value > 0.01);
}

TEST_CASE("hostile values") {
  CHECK(test_normality(normals(100, 1, 2)).correlations.p_value == 1);
  arma::mat z = normals(100, 3, 3);
  z(5, 1) = 1e300;
  const NormalityReport far = test_normality(z);
  CHECK(far.p_value == 0);
  CHECK(far.norms.statistic == HUGE_VAL);
  z = arma::round(normals(100, 3, 4));
  const NormalityReport rounded = test_normality(z);
  CHECK(rounded.p_value < 0.01);
  CHECK(std::isfinite(rounded.magnitude_correlations.statistic));
  CHECK(std::isfinite(test_normality(normals(2, 5, 5)).p_value));
  CHECK_THROWS_AS(test_normality(arma::mat(1, 2)), std::invalid_argument);
  z(0, 0) = HUGE_VAL;
  CHECK_THROWS_AS(test_normality(z), std::invalid_argument);
}

TEST_CASE("any number of threads gives a test of normality the same bytes") {
  const arma::mat z = normals(600, 7, 6);
  const NormalityReport one = test_normality(z, 1);
  for (const int threads : {2, 3, 8}) {
    const NormalityReport more = test_normality(z, threads);
    CHECK(same_bytes(one.adjusted_p_values, more.adjusted_p_values));
    for (const auto& [what, p_value] : tests) {
      const double a = p_value(one), b = p_value(more);
      CHECK(same_bytes({&a, 1}, {&b, 1}));
    }
  }
}
