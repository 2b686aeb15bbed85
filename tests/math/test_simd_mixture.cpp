#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/simd.hpp"
#include "gaussianize/math/normal.hpp"

#include "math/oracle.hpp"
#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/draws.hpp"
#include "support/mixtures.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::Mixture;
using gaussianize::testing::random_mixture;
using gaussianize::testing::same_bits;
using gaussianize::testing::uniforms;
using oracle::infinity;

struct ExactSums {
  long double lower = 0.0L, upper = 0.0L, density = 0.0L;
};

/// The reference loop, one row in extended precision. t itself is the double that the header defines.
ExactSums exact_sums(const Mixture& m, double x) {
  ExactSums s;
  for (std::size_t j = 0; j < m.mu.size(); ++j) {
    const long double t = m.t(x, j);
    const long double e = std::exp(-std::abs(t));
    const long double large = 1.0L / (1.0L + e);
    const long double small = e * large;
    s.lower += m.weight[j] * (t < 0 ? small : large);
    s.upper += m.weight[j] * (t < 0 ? large : small);
    s.density += static_cast<long double>(m.weight[j]) * m.inverse_scale[j] * small * large;
  }
  return s;
}

/// Relative to `exact` where that is a normal double, to the smallest normal one below.
double error(double value, long double exact) {
  const long double size = std::max<long double>(exact, std::numeric_limits<double>::min());
  return static_cast<double>(std::abs(value - exact) / size);
}

struct Columns {
  std::vector<double> first, second, third;
};

Columns sums(const SimdLoops& loops, const Mixture& m, const std::vector<double>& x) {
  Columns c{std::vector<double>(x.size()), std::vector<double>(x.size()), std::vector<double>(x.size())};
  loops.mixture_sums(m.view(), x.data(), c.first.data(), c.second.data(), c.third.data(), x.size());
  return c;
}

Columns forward(const SimdLoops& loops, const Mixture& m, const std::vector<double>& x) {
  Columns c{std::vector<double>(x.size()), std::vector<double>(x.size()), {}};
  loops.mixture_forward(m.view(), x.data(), c.first.data(), c.second.data(), x.size());
  return c;
}

double largest_sum_error(const SimdLoops& loops, const Mixture& m, const std::vector<double>& x) {
  const Columns c = sums(loops, m, x);
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const ExactSums exact = exact_sums(m, x[i]);
    for (const double e :
         {error(c.first[i], exact.lower), error(c.second[i], exact.upper), error(c.third[i], exact.density)})
      largest = e <= largest ? largest : (std::isnan(e) ? 1e300 : e);
  }
  return largest;
}

/// z and log dz/dx against the extended sums and the scalar Φ⁻¹. What p, rounded, leaves of z near ½ is absolute.
void check_forward(const SimdLoops& loops, const Mixture& m, const std::vector<double>& x) {
  const Columns c = forward(loops, m, x);
  double largest_z = 0.0;
  double largest_log = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const ExactSums exact = exact_sums(m, x[i]);
    REQUIRE(std::min(exact.lower, exact.upper) > 1e-299L);
    double z = exact.lower < exact.upper ? normal_quantile(static_cast<double>(exact.lower))
                                         : upper_normal_quantile(static_cast<double>(exact.upper));
    double log_dzdx = static_cast<double>(std::log(exact.density)) - log_normal_pdf(z);
    if (m.link == Link::logit) {
      const long double scale = std::sqrt(3.0L) / 3.14159265358979323846264338327950288L;
      z = static_cast<double>(scale * std::log(exact.lower / exact.upper));
      log_dzdx = static_cast<double>(std::log(scale * exact.density / exact.lower / exact.upper));
    }
    REQUIRE_FALSE(std::isnan(c.first[i]));
    largest_z = std::max(largest_z, std::abs(c.first[i] - z) / std::max(1.0, std::abs(z)));
    // log φ(z) turns a relative error of z into z² as much.
    largest_log = std::max(largest_log, std::abs(c.second[i] - log_dzdx) / (1.0 + z * z));
  }
  CHECK(largest_z <= 2e-15);
  CHECK(largest_log <= 2e-15);
}

constexpr std::size_t kernel_counts[] = {1, 2, 50};

}  // namespace

TEST_CASE("the mixture's sums agree with the reference loop") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t kernels : kernel_counts) {
      INFO(loops.name, ", ", kernels, " kernels");
      for (std::size_t n = 1; n <= 70; ++n)
        CHECK(largest_sum_error(loops, random_mixture(kernels, 5.0), uniforms(n, -8.0, 8.0, n, 1)) <= 2.5e-15);
      CHECK(largest_sum_error(loops, random_mixture(kernels, 5.0), uniforms(20'000, -8.0, 8.0, 20'000, 1)) <= 2.5e-15);
      // |t| to 700 and, past the smallest double, to 1400.
      CHECK(largest_sum_error(loops, random_mixture(kernels, 100.0), uniforms(20'000, -4.0, 4.0, 20'000, 1)) <=
            2.5e-15);
      CHECK(largest_sum_error(loops, random_mixture(kernels, 200.0), uniforms(20'000, -4.0, 4.0, 20'000, 1)) <=
            2.5e-15);
    }
}

TEST_CASE("kernels far below the largest do not spoil a tail of 1e-300") {
  // The second kernel alone is e^{−712}, below the smallest normal double.
  const Mixture m{{0.0, 22.0}, {1.0, 1.0}, {0.5, 0.5}};
  for (const SimdLoops& loops : available_simd()) CHECK(largest_sum_error(loops, m, {-690.0, -690.5}) <= 2.5e-15);
}

TEST_CASE("the forward pass agrees with the reference loop") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t kernels : kernel_counts) {
      INFO(loops.name, ", ", kernels, " kernels");
      for (std::size_t n = 1; n <= 70; ++n)
        check_forward(loops, random_mixture(kernels, 5.0), uniforms(n, -8.0, 8.0, n, 1));
      check_forward(loops, random_mixture(kernels, 5.0), uniforms(20'000, -8.0, 8.0, 20'000, 1));
      check_forward(loops, random_mixture(kernels, 1.0), uniforms(20'000, -600.0, 600.0, 20'000, 1));
      check_forward(loops, random_mixture(kernels, 5.0, Link::logit), uniforms(20'000, -8.0, 8.0, 20'000, 1));
      check_forward(loops, random_mixture(kernels, 1.0, Link::logit), uniforms(20'000, -600.0, 600.0, 20'000, 1));
    }
}

TEST_CASE("z is NaN where the smaller tail is below 1e-300 and only there") {
  const Mixture m{{0.0}, {1.0}, {1.0}};
  const double edge = 300.0 * std::log(10.0);
  for (const SimdLoops& loops : available_simd()) {
    const Columns good = forward(loops, m, {-edge + 1e-9, edge - 1e-9});
    CHECK(testing::relative_error(good.first[0], normal_quantile(1e-300)) < 1e-11);
    CHECK(testing::relative_error(good.first[1], -normal_quantile(1e-300)) < 1e-11);
    for (const double x : {-edge - 1e-9, edge + 1e-9, -800.0, 1e10, -infinity, infinity, std::nan("")})
      CHECK(std::isnan(forward(loops, m, {x}).first[0]));
  }
}

TEST_CASE("z is NaN where the density is not a normal double") {
  for (const double inverse_scale : {1e-305, 1e305}) {
    const Mixture m{{0.0}, {inverse_scale}, {1.0}};
    const Mixture ordinary{{0.0}, {1.0}, {1.0}};
    for (const SimdLoops& loops : available_simd()) {
      // σ′ ≈ 1e-4 takes 1e-305 below the normal doubles; 1e305 leaves them in the sum's own units.
      CHECK(std::isnan(forward(loops, m, {9.0 / inverse_scale}).first[0]));
      CHECK_FALSE(std::isnan(forward(loops, ordinary, {9.0}).first[0]));
    }
  }
}

TEST_CASE("a NaN stays a NaN in the sums and touches no other row") {
  const Mixture m = random_mixture(3, 5.0);
  const std::vector<double> x{0.5, std::nan(""), -0.5};
  for (const SimdLoops& loops : available_simd()) {
    const Columns c = sums(loops, m, x);
    for (const auto* column : {&c.first, &c.second, &c.third}) {
      CHECK(std::isnan((*column)[1]));
      CHECK((*column)[0] > 0.0);
      CHECK((*column)[2] > 0.0);
    }
  }
}

TEST_CASE("a row has the same bits at any position") {
  const std::vector<double> x = uniforms(200, -20.0, 20.0, 200, 1);
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t kernels : kernel_counts) {
      INFO(loops.name, ", ", kernels, " kernels");
      const Mixture m = random_mixture(kernels, 5.0);
      const Columns all_sums = sums(loops, m, x);
      const Columns all = forward(loops, m, x);
      const auto check_part = [&](std::size_t start, std::size_t n) {
        const std::vector<double> part(x.begin() + start, x.begin() + start + n);
        const Columns s = sums(loops, m, part);
        const Columns f = forward(loops, m, part);
        bool same = true;
        for (std::size_t i = 0; i < n; ++i)
          same = same && same_bits(s.first[i], all_sums.first[start + i]) &&
                 same_bits(s.second[i], all_sums.second[start + i]) &&
                 same_bits(s.third[i], all_sums.third[start + i]) && same_bits(f.first[i], all.first[start + i]) &&
                 same_bits(f.second[i], all.second[start + i]);
        CHECK(same);
      };
      for (std::size_t i = 0; i < x.size(); ++i) check_part(i, 1);
      for (std::size_t n = 1; n <= 70; ++n)
        for (const std::size_t start : {0, 1, 5}) check_part(start, n);
    }
}
