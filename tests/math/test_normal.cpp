#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <doctest/doctest.h>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/normal.hpp"

#include "math/oracle.hpp"
#include "support/closeness.hpp"

namespace {

using namespace gaussianize;
using oracle::Fifty;
using oracle::Quad;

using oracle::infinity;
constexpr int quad_points = 100'000;
constexpr int fifty_points = 1'500;

double uniform(RandomStream& stream, double low, double high) {
  return low + (high - low) * stream.uniform();
}

/// Between low and high, both positive, uniform in the logarithm.
double log_uniform(RandomStream& stream, double low, double high) {
  return std::exp2(uniform(stream, std::log2(low), std::log2(high)));
}

using Draw = std::function<double(RandomStream&)>;
using Error = std::function<double(double)>;

/// The largest error over many drawn points. A NaN counts as infinite.
double largest_error(int points, const Draw& draw, const Error& error) {
  RandomStream stream(Seed{11}, Purpose::test);
  double largest = 0.0;
  for (int i = 0; i < points; ++i) {
    const double e = error(draw(stream));
    largest = e <= largest ? largest : (std::isnan(e) ? infinity : e);
  }
  return largest;
}

/// Asserts a bound with 34 digits at many points and with 50 digits at fewer.
void check_bound(double bound, const Draw& draw, const Error& quad_error, const Error& fifty_error) {
  const double in_quad = largest_error(quad_points, draw, quad_error);
  const double in_fifty = largest_error(fifty_points, draw, fifty_error);
  INFO("largest relative error ", in_quad, " (34 digits), ", in_fifty, " (50 digits)");
  CHECK(in_quad <= bound);
  CHECK(in_fifty <= bound);
}

template <class T>
Error error_of(double (*function)(double), T (*exact)(const T&)) {
  return [=](double z) { return oracle::relative_error(function(z), exact(T(z))); };
}

template <class T>
T exact_log_density(const T& z) {
  return -z * z / 2 - oracle::log_sqrt_two_pi<T>();
}

template <class T>
T lower_tail(const T& z) {
  return oracle::upper_tail(T(-z));
}

double either_sign(RandomStream& stream, double size) {
  return stream.uniform() < 0.5 ? -size : size;
}

}  // namespace

TEST_CASE("φ is exact to the edge of the normal doubles") {
  const Draw draw = [](RandomStream& s) { return uniform(s, -37.5, 37.5); };
  check_bound(4.5e-16, draw, error_of<Quad>(normal_pdf, oracle::density), error_of<Fifty>(normal_pdf, oracle::density));
}

TEST_CASE("log φ is exact") {
  const Draw draw = [](RandomStream& s) { return either_sign(s, log_uniform(s, 1e-8, 1e8)); };
  check_bound(2.3e-16, draw, error_of<Quad>(log_normal_pdf, exact_log_density<Quad>),
              error_of<Fifty>(log_normal_pdf, exact_log_density<Fifty>));
}

TEST_CASE("Φ is exact to the edge of the normal doubles") {
  const Draw draw = [](RandomStream& s) {
    return s.uniform() < 0.7 ? uniform(s, -37.5, 9.0) : either_sign(s, log_uniform(s, 1e-10, 3.0));
  };
  check_bound(8e-16, draw, error_of<Quad>(normal_cdf, lower_tail<Quad>),
              error_of<Fifty>(normal_cdf, lower_tail<Fifty>));
}

TEST_CASE("log Φ is exact for every z") {
  const Draw draw = [](RandomStream& s) {
    const double which = s.uniform();
    if (which < 0.3) return uniform(s, -45.0, 37.0);
    if (which < 0.6) return uniform(s, -3.0, 3.0);
    return which < 0.8 ? -log_uniform(s, 10.0, 1e100) : either_sign(s, log_uniform(s, 1e-10, 1.0));
  };
  check_bound(1e-15, draw, error_of<Quad>(log_normal_cdf, oracle::log_lower_tail<Quad>),
              error_of<Fifty>(log_normal_cdf, oracle::log_lower_tail<Fifty>));
}

TEST_CASE("log Q/φ does not cancel") {
  const Draw draw = [](RandomStream& s) {
    const double which = s.uniform();
    if (which < 0.5) return uniform(s, -5.0, 5.0);
    return which < 0.8 ? uniform(s, -80.0, 60.0) : log_uniform(s, 1.0, 1e300);
  };
  // Its zero, at z = 0.3026, allows no relative bound.
  const auto error = []<class T>(const T&) {
    return [](double z) {
      const T exact = oracle::log_mills(T(z));
      return static_cast<double>(abs(T(log_mills_ratio(z)) - exact) / std::max(T(1), T(abs(exact))));
    };
  };
  check_bound(5e-16, draw, error(Quad()), error(Fifty()));
}

TEST_CASE("Φ⁻¹ is exact for every p") {
  const Draw draw = [](RandomStream& s) {
    const double which = s.uniform();
    if (which < 0.2) return s.uniform();
    if (which < 0.5) return log_uniform(s, 1e-300, 0.5);
    if (which < 0.6) return log_uniform(s, 1e-12, 0.5);
    if (which < 0.7) return 0.5 + either_sign(s, log_uniform(s, 1e-16, 0.1));
    if (which < 0.9) return 1.0 - log_uniform(s, 1e-16, 0.5);
    return log_uniform(s, 1e-322, 1e-300);
  };
  const Error quad = [](double p) { return oracle::quantile_error<Quad>(normal_quantile(p), p); };
  const Error fifty = [](double p) { return oracle::quantile_error<Fifty>(normal_quantile(p), p); };
  check_bound(1e-15, draw, quad, fifty);
}

TEST_CASE("Φ⁻¹ from log p is exact for every log p") {
  const Draw draw = [](RandomStream& s) {
    const double which = s.uniform();
    if (which < 0.2) return uniform(s, -10.0, 0.0);
    if (which < 0.4) return uniform(s, -1000.0, -1.0);
    if (which < 0.6) return -log_uniform(s, 1.0, 1e6);
    if (which < 0.7) return -log_uniform(s, 1e6, 1e300);
    if (which < 0.85) return -log_uniform(s, 1e-300, 1.0);
    return -0.6931471805599453 + either_sign(s, log_uniform(s, 2e-16, 0.1));
  };
  const Error quad = [](double p) { return oracle::log_quantile_error<Quad>(normal_quantile_from_log(p), p); };
  const Error fifty = [](double p) { return oracle::log_quantile_error<Fifty>(normal_quantile_from_log(p), p); };
  check_bound(1e-15, draw, quad, fifty);
}

TEST_CASE("the quantile checkers reject an error of 1e-15") {
  for (const double p : {1e-300, 1e-20, 0.01, 0.3, 0.5 + 1e-12, 0.9, 1.0 - 1e-16}) {
    const double z = normal_quantile(p) * (1.0 + 2e-15);
    CHECK(oracle::quantile_error<Quad>(z, p) > 1e-15);
  }
  for (const double log_p : {-1e6, -800.0, -1.0, -0.693, -1e-300}) {
    const double z = normal_quantile_from_log(log_p) * (1.0 + 2e-15);
    CHECK(oracle::log_quantile_error<Quad>(z, log_p) > 1e-15);
  }
}

TEST_CASE("the ends of the domains") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(normal_pdf(infinity) == 0.0);
  CHECK(normal_pdf(-1e200) == 0.0);
  CHECK(log_normal_pdf(-infinity) == -infinity);
  CHECK(normal_cdf(-infinity) == 0.0);
  CHECK(normal_cdf(infinity) == 1.0);
  CHECK(log_normal_cdf(-infinity) == -infinity);
  CHECK(log_normal_cdf(infinity) == 0.0);
  CHECK(log_mills_ratio(infinity) == -infinity);
  CHECK(log_mills_ratio(-infinity) == infinity);
  CHECK(normal_quantile(0.0) == -infinity);
  CHECK(normal_quantile(0.5) == 0.0);
  CHECK(normal_quantile(1.0) == infinity);
  CHECK(upper_normal_quantile(0.0) == infinity);
  CHECK(upper_normal_quantile(1e-300) == -normal_quantile(1e-300));
  CHECK(normal_quantile_from_log(0.0) == infinity);
  CHECK(normal_quantile_from_log(-infinity) == -infinity);
  CHECK(testing::relative_error(normal_quantile(std::numeric_limits<double>::denorm_min()), -38.46740561714434) <
        1e-15);
  for (const double bad : {-1e-300, 1.0 + 1e-15, nan, infinity, -infinity}) CHECK(std::isnan(normal_quantile(bad)));
  for (const double bad : {1e-300, nan, infinity}) CHECK(std::isnan(normal_quantile_from_log(bad)));
  for (const auto function : {normal_pdf, log_normal_pdf, normal_cdf, log_normal_cdf, log_mills_ratio})
    CHECK(std::isnan(function(nan)));
}

TEST_CASE("subnormal tails are exact to the last place they have") {
  for (double z = -38.4; z < -37.5; z += 0.01) {
    const double exact = static_cast<double>(oracle::upper_tail(Quad(-z)));
    CHECK(std::abs(normal_cdf(z) - exact) <= 4 * std::numeric_limits<double>::denorm_min() + 8e-16 * exact);
  }
}
