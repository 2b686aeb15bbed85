// How much columns say about each other, how far samples are apart, and where a flow removes what.
#include <cmath>
#include <iostream>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/info/decompose.hpp"
#include "gaussianize/info/divergence.hpp"
#include "gaussianize/info/kl_account.hpp"
#include "gaussianize/info/kl_trace.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/rbig/rbig.hpp"

using namespace gaussianize;

void print(const char* what, const Measure& measure) {
  std::cout << what << ": " << measure.value << " nats, 95 % from " << measure.interval.low << " to "
            << measure.interval.high << " (" << measure.method << ")\n";
}

/// Within four standard errors; a right answer misses once in 16,000 seeds.
bool near(double value, double standard_error, double truth) {
  return std::abs(value - truth) < 4 * standard_error;
}

int main() {
  // Columns of a Gaussian copula, every second one exponential.
  const arma::mat x = draw(KnownDistribution::gaussian_copula, 2000, 4, Seed{1}).x;
  const MeasureOptions options{.permutations = 49, .seed = Seed{7}};

  const Measure tc = total_correlation(x, options);
  print("total correlation", tc);
  const double truth = *true_total_correlation(KnownDistribution::gaussian_copula, 4);

  const Measure mi = mutual_information(x.cols(0, 1), x.cols(2, 3), options);
  print("I(first two; last two)", mi);
  std::cout << "  p-value of independence " << *mi.p_value << '\n';

  const arma::mat normal = draw(KnownDistribution::gaussian, 2000, 2, Seed{2}).x;
  const Measure moved = divergence(normal, normal + 0.5, {.permutations = 0});
  print("divergence from a copy moved by (½, ½)", moved);
  const double moved_truth = 0.5 * 2 * 0.25 / (1 + ar1_correlation);  // ½ δᵀΣ⁻¹δ

  const KlDecomposition parts = decompose(x, options);
  print("J", parts.joint);
  print("I", parts.dependence);
  print("J_m", parts.marginal);

  const Flow flow = fit_rbig(x, {.max_layers = 20, .seed = Seed{7}}).flow;
  const arma::mat fresh = draw(KnownDistribution::gaussian_copula, 2000, 4, Seed{3}).x;
  const KlAccount account = kl_account(fresh, {{log_density(flow, fresh), forward(flow, fresh).z}});
  std::cout << "J" << (account.bound ? " at least " : " ") << account.j.value << " ± " << account.j.standard_error
            << ", of which the flow leaves " << account.left[0].j.value << '\n';

  const KlTrace trace = kl_trace(flow, fresh, {.reference = account.reference});
  for (const TraceLayer& layer : trace.layers)
    std::cout << "layer " << layer.layer << ": J " << layer.before.j.value << " to " << layer.after.j.value << '\n';

  const bool right = near(tc.value, tc.standard_error, truth) && *mi.p_value < 0.05 &&
                     near(moved.value, moved.standard_error, moved_truth) &&
                     near(parts.dependence.value, parts.dependence.standard_error, truth);
  const Estimate gap = trace.identity.gap;
  std::cout << "trace: J − (I + J_m) is " << gap.value << " ± " << gap.standard_error << '\n';
  const bool one_j = std::abs(trace.layers.front().before.j.value - account.j.value) < 1e-9;
  return right && one_j && std::abs(gap.value) < 0.05 && account.left[0].j.value < 0.1 ? 0 : 1;
}
