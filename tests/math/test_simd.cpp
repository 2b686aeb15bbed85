#include <algorithm>
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
using gaussianize::testing::same_bytes;
using gaussianize::testing::uniforms;
using oracle::infinity;

constexpr std::size_t many = 100'000;

using Map = void (*)(const double*, double*, std::size_t);

/// Uniform in the logarithm between 2^low and 2^high.
std::vector<double> draw_powers(std::size_t count, double low, double high) {
  std::vector<double> x = uniforms(count, low, high, 21);
  for (double& v : x) v = std::exp2(v);
  return x;
}

std::vector<double> mapped(Map map, const std::vector<double>& x) {
  std::vector<double> y(x.size());
  map(x.data(), y.data(), x.size());
  return y;
}

double mapped_one(Map map, double x) {
  return mapped(map, {x})[0];
}

/// |value − exact| in units of the last place of a double near `exact`; subnormals have the smallest double's place.
double ulps(double value, long double exact) {
  const int exponent = std::max(std::ilogb(exact), -1022);
  return static_cast<double>(std::abs(static_cast<long double>(value) - exact) / std::ldexp(1.0L, exponent - 52));
}

double largest_ulps(Map map, const std::vector<double>& x, long double (*exact)(long double)) {
  const std::vector<double> y = mapped(map, x);
  double largest = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double e = ulps(y[i], exact(x[i]));
    largest = e <= largest ? largest : (std::isnan(e) ? infinity : e);
  }
  return largest;
}

double largest_quantile_error(Map map, const std::vector<double>& p) {
  const std::vector<double> z = mapped(map, p);
  double largest = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double e = oracle::quantile_error<oracle::Quad>(z[i], p[i]);
    largest = e <= largest ? largest : (std::isnan(e) ? infinity : e);
  }
  return largest;
}

/// FNV-1a over the words, so that any changed bit shows.
std::uint64_t fingerprint(const std::vector<double>& values) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const double v : values) hash = (hash ^ std::bit_cast<std::uint64_t>(v)) * 0x100000001b3ULL;
  return hash;
}

long double exact_exp(long double x) {
  return std::exp(x);
}

long double exact_log(long double x) {
  return std::log(x);
}

/// Whether the first n elements, for n = 1 … 70, from any of three starts and in place, and each element alone, have
/// the bits they have in the whole.
void check_position_independence(Map map, const std::vector<double>& x) {
  const std::vector<double> whole = mapped(map, x);
  for (std::size_t n = 1; n <= 70; ++n)
    for (std::size_t start : {0, 1, 5}) {
      std::vector<double> part(x.begin() + start, x.begin() + start + n);
      map(part.data(), part.data(), n);
      CHECK(same_bytes(part, std::span(whole).subspan(start, n)));
    }
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(same_bits(mapped_one(map, x[i]), whole[i]));
}

}  // namespace

TEST_CASE("the baseline loops come first and the best last") {
  REQUIRE(available_simd().size() >= 1);
  CHECK(available_simd().front().name == "baseline");
  CHECK(simd().name == available_simd().back().name);
}

TEST_CASE("exp is within 1.75 units of the last place") {
  for (const SimdLoops& loops : available_simd()) {
    INFO(loops.name);
    CHECK(largest_ulps(loops.exp, uniforms(many, -708.3, 709.7, 21), exact_exp) <= 1.75);
    CHECK(largest_ulps(loops.exp, uniforms(many, -1.0, 1.0, 21), exact_exp) <= 1.75);
    CHECK(largest_ulps(loops.exp, draw_powers(many, -60.0, -1.0), exact_exp) <= 1.75);
  }
}

TEST_CASE("exp underflows gradually and overflows to infinity") {
  for (const SimdLoops& loops : available_simd()) {
    INFO(loops.name);
    CHECK(largest_ulps(loops.exp, uniforms(20'000, -745.0, -708.0, 21), exact_exp) <= 1.75);
    CHECK(mapped_one(loops.exp, 0.0) == 1.0);
    CHECK(mapped_one(loops.exp, -745.2) == 0.0);
    CHECK(mapped_one(loops.exp, -1e10) == 0.0);
    CHECK(mapped_one(loops.exp, -infinity) == 0.0);
    CHECK(mapped_one(loops.exp, 709.78) < infinity);
    CHECK(mapped_one(loops.exp, 709.79) == infinity);
    CHECK(mapped_one(loops.exp, infinity) == infinity);
    CHECK(std::isnan(mapped_one(loops.exp, std::nan(""))));
  }
}

TEST_CASE("log is within one unit of the last place") {
  for (const SimdLoops& loops : available_simd()) {
    INFO(loops.name);
    CHECK(largest_ulps(loops.log, draw_powers(many, -1022.0, 1023.9), exact_log) <= 1.0);
    CHECK(largest_ulps(loops.log, uniforms(many, 0.5, 2.0, 21), exact_log) <= 1.0);
    CHECK(largest_ulps(loops.log, uniforms(many, 0.999, 1.001, 21), exact_log) <= 1.0);
    CHECK(mapped_one(loops.log, 1.0) == 0.0);
    CHECK(testing::relative_error(mapped_one(loops.log, std::numeric_limits<double>::min()), -708.3964185322641) <
          1e-14);
    CHECK(testing::relative_error(mapped_one(loops.log, std::numeric_limits<double>::max()), 709.782712893384) < 1e-14);
  }
}

TEST_CASE("Φ⁻¹ is exact in both its loops") {
  // Each of these has the same bits in every set of loops (see below): one is enough for the slow oracle.
  const SimdLoops& loops = simd();
  CHECK(largest_quantile_error(loops.lower_quantile, uniforms(40'000, 0.0, 0.5, 21)) <= 1e-15);
  CHECK(largest_quantile_error(loops.lower_quantile, draw_powers(40'000, -996.0, -1.0)) <= 1e-15);
  CHECK(largest_quantile_error(loops.quantile, uniforms(40'000, 0.0, 1.0, 21)) <= 1e-15);
  CHECK(largest_quantile_error(loops.quantile, draw_powers(20'000, -54.0, -1.0)) <= 1e-15);
  CHECK(largest_quantile_error(loops.quantile, {0x1p-54, 0.5 - 0x1p-54, 0.5 + 0x1p-53, 1.0 - 0x1p-53}) <= 1e-15);
  CHECK(mapped_one(loops.quantile, 0.5) == 0.0);
}

TEST_CASE("log and Φ⁻¹ have the same bits with every instruction set") {
  const std::vector<double> unit = uniforms(many, 0.0, 1.0, 21);
  const std::vector<double> small = draw_powers(many, -54.0, 0.0);
  const std::vector<double> tails = draw_powers(many, -996.0, -1.0);
  const SimdLoops& first = available_simd().front();
  for (const SimdLoops& loops : available_simd()) {
    INFO(loops.name);
    CHECK(same_bytes(mapped(loops.quantile, unit), mapped(first.quantile, unit)));
    CHECK(same_bytes(mapped(loops.quantile, small), mapped(first.quantile, small)));
    CHECK(same_bytes(mapped(loops.lower_quantile, tails), mapped(first.lower_quantile, tails)));
    CHECK(same_bytes(mapped(loops.log, tails), mapped(first.log, tails)));
  }
}

TEST_CASE("Φ⁻¹ has the bits that samples are made of, whatever the machine and compiler") {
  std::vector<double> u(8192);
  for (std::size_t i = 0; i < 4096; ++i) {
    u[i] = (static_cast<double>(i) + 0.5) / 4096.0;
    u[4096 + i] = std::ldexp(u[i], -40);
  }
  for (const SimdLoops& loops : available_simd()) {
    INFO(loops.name);
    CHECK(fingerprint(mapped(loops.quantile, u)) == 14793093862499060867ULL);
    CHECK(mapped_one(loops.quantile, 0x1p-54) == -0x1.095b059d67c4cp+3);
    CHECK(mapped_one(loops.quantile, 1e-6) == -0x1.30381a9799f7ep+2);
    CHECK(mapped_one(loops.quantile, 0.1) == -0x1.4813c36e26d33p+0);
    CHECK(mapped_one(loops.quantile, 0.75) == 0x1.5956b87528a49p-1);
    CHECK(mapped_one(loops.quantile, 1.0 - 0x1p-53) == 0x1.06b48528cea51p+3);
  }
}

TEST_CASE("Φ⁻¹ is odd about one half") {
  for (double u : uniforms(1000, 0.5, 1.0, 21))
    CHECK(mapped_one(simd().quantile, u) == -mapped_one(simd().quantile, 1.0 - u));
}

TEST_CASE("an element has the same bits at any position") {
  for (const SimdLoops& loops : available_simd()) {
    INFO(loops.name);
    check_position_independence(loops.exp, uniforms(200, -745.0, 709.0, 21));
    check_position_independence(loops.log, draw_powers(200, -1022.0, 1023.0));
    check_position_independence(loops.lower_quantile, draw_powers(200, -996.0, -1.0));
    check_position_independence(loops.quantile, uniforms(200, 0.0, 1.0, 21));
  }
}

TEST_CASE("nothing is written beyond n") {
  for (const SimdLoops& loops : available_simd()) {
    const std::vector<double> x(100, 0.25);
    std::vector<double> y(100, -7.0);
    loops.exp(x.data(), y.data(), 67);
    CHECK(testing::relative_error(y[66], std::exp(0.25)) < 1e-14);
    CHECK(std::all_of(y.begin() + 67, y.end(), [](double v) { return v == -7.0; }));
    loops.exp(x.data(), y.data(), 0);
    CHECK(y[67] == -7.0);
  }
}
