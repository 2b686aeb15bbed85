// Times the logistic mixture: nanoseconds per (row, dimension, kernel) of the forward and backward loops with every
// instruction set, beside the plain loop over <cmath>, and of whole blocks, their inverse included.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "gaussianize/core/random.hpp"
#include "gaussianize/marginal/detail/mixture_evaluator.hpp"
#include "gaussianize/marginal/detail/mixture_inverse.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/detail/simd.hpp"
#include "gaussianize/math/normal.hpp"

#include "bench/timing.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

volatile double sink = 0.0;

/// A mixture such as training makes: anchors at normal quantiles, the bandwidth of the rule of thumb, both disturbed.
LogisticMixture typical_mixture(std::size_t kernels, std::size_t dimension, bool weighted) {
  RandomStream stream(Seed{1}, Purpose::test);
  LogisticMixture m{arma::mat(kernels, dimension), arma::mat(kernels, dimension),
                    weighted ? arma::mat(kernels, dimension) : arma::mat()};
  const auto count = static_cast<double>(kernels);
  const double bandwidth = std::pow(0.0728 / count, 0.2);
  for (std::size_t d = 0; d < dimension; ++d)
    for (std::size_t j = 0; j < kernels; ++j) {
      m.mu(j, d) = normal_quantile((static_cast<double>(j) + 0.5) / count) + 0.1 * (stream.uniform() - 0.5);
      m.log_scale(j, d) = std::log(bandwidth) + stream.uniform() - 0.5;
      if (weighted) m.logit(j, d) = stream.uniform() - 0.5;
    }
  return m;
}

/// What the backward loop computes, one row at a time.
void reference_backward(const MixtureView& m, const MixtureRows& rows, double* x_bar, const MixtureSums& sums,
                        std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double log_inverse_pdf = -log_normal_pdf(rows.z[i]);
    const double a = (rows.z_bar[i] + rows.log_dzdx_bar[i] * rows.z[i]) * std::exp(log_inverse_pdf);
    const double b = rows.log_dzdx_bar[i] * std::exp(log_inverse_pdf - rows.log_dzdx[i]);
    x_bar[i] = 0.0;
    for (std::size_t j = 0; j < m.kernels; ++j) {
      const double t = (rows.x[i] - m.mu[j]) * m.inverse_scale[j];
      const double e = std::exp(-std::abs(t));
      const double large = 1.0 / (1.0 + e);
      const double slope = e * large * large;
      const double of_density = b * slope * m.inverse_scale[j];
      const double g = a * slope - of_density * std::copysign(large - e * large, t);
      x_bar[i] += m.weight[j] * m.inverse_scale[j] * g;
      sums.mu[j] += g;
      sums.scale[j] += t * g + of_density;
    }
  }
}

void print(const char* what, const std::string& how, double time) {
  std::printf("%-44s %-10s %8.3f\n", what, how.c_str(), time);
}

void bench_loops(std::size_t rows, std::size_t kernels) {
  const MixtureEvaluator mixture = make_evaluator(typical_mixture(kernels, 1, false));
  const MixtureView view = mixture.view(0);
  RandomStream stream(Seed{2}, Purpose::test);
  const arma::mat x = random_normal(rows, 1, stream);
  arma::mat z(rows, 1), log_dzdx(rows, 1), x_bar(rows, 1), sums(kernels, 3);
  const arma::mat log_dzdx_bar(rows, 1, arma::fill::value(-1.0 / static_cast<double>(rows)));
  simd().mixture_forward(view, x.memptr(), z.memptr(), log_dzdx.memptr(), rows);
  const arma::mat z_bar = 1.1 * z / static_cast<double>(rows);
  const MixtureRows from{x.memptr(), z.memptr(), log_dzdx.memptr(), z_bar.memptr(), log_dzdx_bar.memptr()};
  const auto units = static_cast<double>(rows * kernels);
  const auto time_backward = [&](auto&& backward, bool weighted) {
    return nanoseconds(units, [&] {
      backward(view, from, x_bar.memptr(), {sums.colptr(0), sums.colptr(1), weighted ? sums.colptr(2) : nullptr}, rows);
      sink = x_bar[0];
    });
  };
  std::printf("%zu rows, %zu kernels\n", rows, kernels);
  print("  backward", "<cmath>", time_backward(reference_backward, false));
  for (const SimdLoops& loops : available_simd()) {
    const std::string name(loops.name);
    const double forward = nanoseconds(units, [&] {
      loops.mixture_forward(view, x.memptr(), z.memptr(), log_dzdx.memptr(), rows);
      sink = z[0];
    });
    print("  forward", name, forward);
    print("  backward", name, time_backward(loops.mixture_backward, false));
    print("  backward, weights too", name, time_backward(loops.mixture_backward, true));
  }
}

void bench_blocks(std::size_t dimension, std::size_t kernels, bool weighted) {
  constexpr std::size_t rows = 256;
  const LogisticMixture mixture = typical_mixture(kernels, dimension, weighted);
  MixtureEvaluator evaluator = make_evaluator(mixture);
  MixtureInverse table = make_inverse(evaluator);
  RandomStream stream(Seed{3}, Purpose::test);
  const arma::mat target = random_normal(rows, dimension, stream);
  arma::mat x(rows, dimension), z(rows, dimension), log_dzdx(rows, dimension), x_bar(rows, dimension);
  inverse_block(evaluator, table, {target.memptr(), rows}, {x.memptr(), rows}, rows);
  const arma::mat log_dzdx_bar(rows, dimension, arma::fill::value(-1.0 / rows));
  const auto units = static_cast<double>(rows * dimension * kernels);
  const auto forward = [&] {
    forward_block(evaluator, {x.memptr(), rows}, {z.memptr(), rows}, {log_dzdx.memptr(), rows}, rows);
  };
  std::printf("blocks of %zu rows, %zu dimensions, %zu kernels%s\n", rows, dimension, kernels,
              weighted ? ", weighted" : "");
  print("  forward", "best", nanoseconds(units, forward));
  std::vector<double> scratch(backward_scratch(evaluator));
  LogisticMixture grad = zeros_like(mixture);
  print("  backward", "best", nanoseconds(units, [&] {
          backward_block(evaluator,
                         {{x.memptr(), rows},
                          {z.memptr(), rows},
                          {log_dzdx.memptr(), rows},
                          {target.memptr(), rows},
                          {log_dzdx_bar.memptr(), rows}},
                         {x_bar.memptr(), rows}, {grad.mu.memptr(), grad.log_scale.memptr(), grad.logit.memptr()},
                         scratch.data(), rows);
        }));
  const auto inverse = [&] { inverse_block(evaluator, table, {target.memptr(), rows}, {x_bar.memptr(), rows}, rows); };
  print("  inverse, table ready", "best", nanoseconds(units, inverse));
  print("  inverse, table made for this block", "best", nanoseconds(units, [&] {
          update(evaluator, mixture);
          table = make_inverse(evaluator);
          inverse();
        }));
}

}  // namespace

int main() {
  std::printf("%-44s %-10s %8s\n", "ns per (row, dimension, kernel)", "loops", "ns");
  bench_loops(256, 50);
  bench_loops(256, 8);
  bench_blocks(6, 50, false);
  bench_blocks(6, 50, true);
  bench_blocks(43, 20, false);
  return 0;
}
