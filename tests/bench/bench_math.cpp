// Times the vector loops of gaussianize/math. Prints, for every instruction set this processor has, nanoseconds per
// (row, kernel) of the mixture's forward pass and nanoseconds per element of exp, log and Φ⁻¹, beside the plain loop
// over <cmath>, with the ratio to that loop in the same run.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/simd.hpp"
#include "gaussianize/math/normal.hpp"

#include "bench/timing.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

volatile double sink = 0.0;

struct Mixture {
  std::vector<double> mu, inverse_scale, weight;
  explicit Mixture(std::size_t kernels)
      : mu(kernels), inverse_scale(kernels), weight(kernels, 1.0 / static_cast<double>(kernels)) {
    RandomStream stream(Seed{1}, Purpose::test);
    for (double& m : mu) m = 6.0 * stream.uniform() - 3.0;
    for (double& s : inverse_scale) s = 1.0 + 4.0 * stream.uniform();
  }
  MixtureView view() const { return {mu.data(), inverse_scale.data(), weight.data(), mu.size()}; }
};

/// What the vector loops compute, one row at a time.
void reference_forward(const MixtureView& m, const double* x, double* z, double* log_dzdx, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double lower = 0.0, upper = 0.0, density = 0.0;
    for (std::size_t j = 0; j < m.kernels; ++j) {
      const double t = (x[i] - m.mu[j]) * m.inverse_scale[j];
      const double e = std::exp(-std::abs(t));
      const double large = 1.0 / (1.0 + e);
      const double small = e * large;
      lower += m.weight[j] * (t < 0.0 ? small : large);
      upper += m.weight[j] * (t < 0.0 ? large : small);
      density += m.weight[j] * m.inverse_scale[j] * (small * large);
    }
    z[i] = lower < upper ? normal_quantile(lower) : upper_normal_quantile(upper);
    log_dzdx[i] = std::log(density) - log_normal_pdf(z[i]);
  }
}

void print_row(const std::string& what, const std::string& loops, double time, double reference) {
  std::printf("%-34s %-10s %9.3f %9.2f\n", what.c_str(), loops.c_str(), time, reference / time);
}

void bench_forward(std::size_t rows, std::size_t kernels) {
  const Mixture mixture(kernels);
  std::vector<double> x(rows), z(rows), log_dzdx(rows);
  RandomStream stream(Seed{2}, Purpose::test);
  for (double& v : x) v = 8.0 * stream.uniform() - 4.0;
  const double units = static_cast<double>(rows * kernels);
  const std::string what = "forward, " + std::to_string(rows) + " rows, " + std::to_string(kernels) + " kernels";
  const auto time = [&](auto&& forward) {
    return nanoseconds(units, [&] {
      forward(mixture.view(), x.data(), z.data(), log_dzdx.data(), rows);
      sink = z[0];
    });
  };
  const double reference = time(reference_forward);
  print_row(what, "<cmath>", reference, reference);
  for (const SimdLoops& loops : available_simd())
    print_row(what, std::string(loops.name), time(loops.mixture_forward), reference);
}

using Loop = void (*)(const double*, double*, std::size_t);

void bench_map(const std::string& what, double low, double high, double (*scalar)(double), Loop SimdLoops::*loop) {
  constexpr std::size_t n = 1024;
  std::vector<double> x(n), y(n);
  RandomStream stream(Seed{3}, Purpose::test);
  for (double& v : x) v = low + (high - low) * stream.uniform();
  const double reference = nanoseconds(n, [&] {
    for (std::size_t i = 0; i < n; ++i) y[i] = scalar(x[i]);
    sink = y[0];
  });
  print_row(what, "<cmath>", reference, reference);
  for (const SimdLoops& loops : available_simd()) {
    const Loop function = loops.*loop;
    const double time = nanoseconds(n, [&] {
      function(x.data(), y.data(), n);
      sink = y[0];
    });
    print_row(what, std::string(loops.name), time, reference);
  }
}

}  // namespace

int main() {
  std::printf("%-34s %-10s %9s %9s\n", "ns per (row, kernel) or element", "loops", "ns", "speed-up");
  bench_forward(256, 50);
  bench_forward(256, 4);
  bench_forward(8, 50);
  bench_map(
      "exp", -30.0, 30.0, [](double v) { return std::exp(v); }, &SimdLoops::exp);
  bench_map(
      "log", 1e-3, 1e3, [](double v) { return std::log(v); }, &SimdLoops::log);
  bench_map("quantile", 0.0, 1.0, normal_quantile, &SimdLoops::quantile);
  bench_map("lower quantile", 0.0, 0.5, normal_quantile, &SimdLoops::lower_quantile);
  return 0;
}
