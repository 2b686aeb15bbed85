#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/simd.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/mixtures.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::Mixture;
using gaussianize::testing::random_mixture;
using gaussianize::testing::same_bits;

/// Rows, their pass by the loops under test, and cotangents.
struct Rows {
  std::vector<double> x, z, log_dzdx, z_bar, log_dzdx_bar;
  MixtureRows view(std::size_t begin = 0) const {
    return {x.data() + begin, z.data() + begin, log_dzdx.data() + begin, z_bar.data() + begin,
            log_dzdx_bar.data() + begin};
  }
};

Rows random_rows(const SimdLoops& loops, const Mixture& m, std::size_t n, double bound) {
  RandomStream stream(Seed{n}, Purpose::test, 3);
  const auto draw = [&](double size) {
    std::vector<double> values(n);
    for (double& v : values) v = size * (2.0 * stream.uniform() - 1.0);
    return values;
  };
  Rows rows{draw(bound), std::vector<double>(n), std::vector<double>(n), draw(1.0), draw(1.0)};
  loops.mixture_forward(m.view(), rows.x.data(), rows.z.data(), rows.log_dzdx.data(), n);
  return rows;
}

struct Sums {
  std::vector<double> x_bar, mu, scale, weight;
};

Sums run(const SimdLoops& loops, const Mixture& m, const Rows& rows, std::size_t begin, std::size_t n, bool weighted) {
  const std::size_t kernels = m.mu.size();
  Sums s{std::vector<double>(n), std::vector<double>(kernels), std::vector<double>(kernels),
         std::vector<double>(kernels)};
  loops.mixture_backward(m.view(), rows.view(begin), s.x_bar.data(),
                         {s.mu.data(), s.scale.data(), weighted ? s.weight.data() : nullptr}, n);
  return s;
}

/// The reference loop, in extended precision, and how large the terms of each sum are. It leaves out what the loops do:
/// rows with a factor above 1e150, which get a NaN.
struct Reference {
  std::vector<long double> x_bar, mu, scale, weight, x_size, mu_size, scale_size, weight_size;
};

Reference reference(const Mixture& m, const Rows& rows, std::size_t n) {
  const std::size_t kernels = m.mu.size();
  const std::vector<long double> zero(kernels);
  Reference r{std::vector<long double>(n), zero, zero, zero, std::vector<long double>(n), zero, zero, zero};
  for (std::size_t i = 0; i < n; ++i) {
    const long double z = rows.z[i];
    const long double pi = 3.14159265358979323846264338327950288L;
    const long double c = std::sqrt(3.0L) / pi;
    // dz/dF of (M4) or (M15): 1/φ(z), or c/(F S).
    const long double odds = std::exp(std::abs(z) / c);
    const long double rate =
        m.link == Link::probit ? std::sqrt(2.0L * pi) * std::exp(z * z / 2) : c * (1 + odds) * (1 + odds) / odds;
    const long double own = m.link == Link::probit ? z : std::copysign((odds - 1) / (odds + 1) / c, z);
    const long double a = (rows.z_bar[i] + rows.log_dzdx_bar[i] * own) * rate;
    const long double b = rows.log_dzdx_bar[i] * rate * std::exp(-static_cast<long double>(rows.log_dzdx[i]));
    if (!(std::abs(a) <= 1e150L && std::abs(b) <= 1e150L)) {
      r.x_bar[i] = std::nanl("");
      continue;
    }
    for (std::size_t j = 0; j < kernels; ++j) {
      const long double t = m.t(rows.x[i], j);
      const long double h = 1.0L / m.inverse_scale[j];
      const long double up = 1.0L / (1.0L + std::exp(-t));
      const long double down = 1.0L / (1.0L + std::exp(t));
      const long double first = up * down;
      const long double second = first * (down - up);
      const long double g = a * first + b * second / h;
      const long double g_size = std::abs(a * first) + std::abs(b * first / h);
      r.x_bar[i] += m.weight[j] / h * g;
      r.x_size[i] += m.weight[j] / h * g_size;
      r.mu[j] += g;
      r.mu_size[j] += g_size;
      r.scale[j] += t * g + b * first / h;
      r.scale_size[j] += (std::abs(t) + 1) * g_size;
      r.weight[j] += a * (z < 0 ? up : -down) + b * first / h;
      r.weight_size[j] += std::abs(a) * (z < 0 ? up : down) + std::abs(b * first / h);
    }
  }
  return r;
}

double largest_error(const std::vector<double>& value, const std::vector<long double>& exact,
                     const std::vector<long double>& size) {
  double largest = 0.0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool same = value[i] == exact[i] || (std::isnan(value[i]) && std::isnan(exact[i]));
    const double error = same ? 0.0 : static_cast<double>(std::abs(value[i] - exact[i]) / size[i]);
    largest = error <= largest ? largest : (std::isnan(error) ? 1e300 : error);
  }
  return largest;
}

void check(const SimdLoops& loops, const Mixture& m, std::size_t n, double bound, double tolerance) {
  const Rows rows = random_rows(loops, m, n, bound);
  const Sums s = run(loops, m, rows, 0, n, true);
  const Reference r = reference(m, rows, n);
  CHECK(largest_error(s.x_bar, r.x_bar, r.x_size) <= tolerance);
  CHECK(largest_error(s.mu, r.mu, r.mu_size) <= tolerance);
  CHECK(largest_error(s.scale, r.scale, r.scale_size) <= tolerance);
  CHECK(largest_error(s.weight, r.weight, r.weight_size) <= tolerance);
  const Sums unweighted = run(loops, m, rows, 0, n, false);
  CHECK(std::equal(s.x_bar.begin(), s.x_bar.end(), unweighted.x_bar.begin(), same_bits));
  CHECK(unweighted.mu == s.mu);
  CHECK(unweighted.scale == s.scale);
}

}  // namespace

TEST_CASE("the backward loop agrees with the reference loop, with every instruction set") {
  for (const SimdLoops& loops : available_simd())
    for (const std::size_t kernels : {1, 2, 50}) {
      INFO(loops.name, ", ", kernels, " kernels");
      for (std::size_t n = 1; n <= 70; ++n) check(loops, random_mixture(kernels, 5.0), n, 6.0, 1e-14);
      for (const std::size_t n : {255, 256, 257, 600}) check(loops, random_mixture(kernels, 5.0), n, 6.0, 1e-14);
      // |z| to 25, where exp(z²/2) of a rounded z² is right to 1e-13; t to 1400.
      check(loops, random_mixture(kernels, 1.0), 3000, 280.0, 2e-13);
      check(loops, random_mixture(kernels, 200.0), 3000, 4.0, 2e-13);
      for (const std::size_t n : {1, 7, 70, 257, 600})
        check(loops, random_mixture(kernels, 5.0, Link::logit), n, 6.0, 1e-14);
      // |z| to 150, where e^{|z|/c} of a rounded z is right to 1e-13.
      check(loops, random_mixture(kernels, 1.0, Link::logit), 3000, 280.0, 2e-13);
      check(loops, random_mixture(kernels, 200.0, Link::logit), 3000, 4.0, 2e-13);
    }
}

TEST_CASE("the backward loop leaves out the rows whose factors are too large, and marks them") {
  const Mixture m{{0.0, 1.0}, {1.0, 2.0}, {0.5, 0.5}};
  for (const SimdLoops& loops : available_simd()) {
    INFO(loops.name);
    Rows rows = random_rows(loops, m, 40, 6.0);
    const Sums all = run(loops, m, rows, 0, 40, true);
    Rows more = rows;
    // |z| = 30; far beyond; not numbers; a cotangent that is not one.
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::nan("");
    const double bad[][5] = {{-455.0, -30.0, 1.0, 1.0, 1.0},
                             {1e300, 1e9, -5.0, 1.0, 1.0},
                             {nan, nan, nan, 1.0, 1.0},
                             {infinity, infinity, -infinity, 1.0, 1.0},
                             {0.0, 0.0, 0.0, nan, 1.0}};
    for (const auto& row : bad) {
      more.x.push_back(row[0]);
      more.z.push_back(row[1]);
      more.log_dzdx.push_back(row[2]);
      more.z_bar.push_back(row[3]);
      more.log_dzdx_bar.push_back(row[4]);
    }
    const Sums marked = run(loops, m, more, 0, 45, true);
    for (std::size_t i = 0; i < 45; ++i) CHECK(std::isnan(marked.x_bar[i]) == (i >= 40));
    for (std::size_t j = 0; j < 2; ++j) {
      CHECK(testing::relative_error(marked.mu[j], all.mu[j]) < 1e-14);
      CHECK(testing::relative_error(marked.scale[j], all.scale[j]) < 1e-14);
      CHECK(testing::relative_error(marked.weight[j], all.weight[j]) < 1e-14);
    }
  }
}

TEST_CASE("a row's cotangent has the same bits wherever it stands, and the sums are added to") {
  const Mixture m = random_mixture(7, 5.0);
  for (const SimdLoops& loops : available_simd()) {
    INFO(loops.name);
    const Rows rows = random_rows(loops, m, 600, 6.0);
    const Sums all = run(loops, m, rows, 0, 600, true);
    for (const std::size_t begin : {0, 1, 7, 255, 300})
      for (const std::size_t n : {1, 2, 9, 64, 299}) {
        const Sums part = run(loops, m, rows, begin, n, true);
        CHECK(std::equal(part.x_bar.begin(), part.x_bar.end(), all.x_bar.begin() + static_cast<std::ptrdiff_t>(begin),
                         same_bits));
      }
    Sums twice = all;
    loops.mixture_backward(m.view(), rows.view(), twice.x_bar.data(),
                           {twice.mu.data(), twice.scale.data(), twice.weight.data()}, 600);
    for (std::size_t j = 0; j < 7; ++j) CHECK(testing::relative_error(twice.mu[j], 2.0 * all.mu[j]) < 1e-14);
  }
}

TEST_CASE("nothing is written beyond n rows") {
  const Mixture m = random_mixture(3, 5.0);
  for (const SimdLoops& loops : available_simd()) {
    const Rows rows = random_rows(loops, m, 20, 6.0);
    std::vector<double> x_bar(20, -7.0), sums(9);
    loops.mixture_backward(m.view(), rows.view(), x_bar.data(), {sums.data(), sums.data() + 3, sums.data() + 6}, 13);
    CHECK(x_bar[12] != -7.0);
    CHECK(std::all_of(x_bar.begin() + 13, x_bar.end(), [](double v) { return v == -7.0; }));
    std::vector<double> none(9);
    loops.mixture_backward(m.view(), rows.view(), x_bar.data(), {none.data(), none.data() + 3, none.data() + 6}, 0);
    CHECK(std::all_of(none.begin(), none.end(), [](double v) { return v == 0.0; }));
  }
}
