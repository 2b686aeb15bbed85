// RBIG: what a fit and its uses cost, how that grows, and how close the density comes to a known one.
//   bench_rbig speed | scaling | quality
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/math/estimate.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "bench/timing.hpp"

using namespace gaussianize;
using namespace gaussianize::testing;

namespace {

/// The peers' kind of work: PCA, rule-of-thumb kernel marginals, nothing else.
RbigOptions plain(std::size_t layers) {
  RbigOptions options = paper_rbig_options();
  options.kde_rows = 0;
  options.report_rows = 0;
  options.max_layers = layers;
  return options;
}

void speed() {
  const arma::mat x = draw(KnownDistribution::sine_chain, 100'000, 10, Seed{1}).x;
  RbigOptions full = plain(50);
  full.shrink = true;
  full.tails = TailRule::fitted;
  full.report_rows = 10'000;
  std::printf("N = 100,000, D = 10, PCA, 50 layers\n%-44s %10s %12s\n", "", "seconds", "ms/layer");
  RbigFit fit;
  const auto report = [](const char* what, double time) {
    std::printf("%-44s %10.3f %12.2f\n", what, time, time / 50 * 1e3);
  };
  report("fit, kernel marginals alone", seconds([&] { fit = fit_rbig(x, plain(50)); }));
  report("fit, with shrinkage, fitted tails, reports", seconds([&] { fit = fit_rbig(x, full); }));
  FlowPass pass;
  report("transform", seconds([&] { pass = forward(fit.flow, x); }));
  report("log density", seconds([&] { log_density(fit.flow, x); }));
  report("inverse", seconds([&] { inverse(fit.flow, pass.z); }));
  const arma::mat few = x.head_rows(10'000);
  report("log density of 10,000 rows", seconds([&] { log_density(fit.flow, few); }));
  const arma::mat small = x.head_rows(10'000);
  report("fit of 10,000 rows, kernel marginals alone", seconds([&] { fit_rbig(small, plain(50)); }));
}

void scaling() {
  std::printf("doubling the work, ratio of times (best of 3)\n");
  const auto best = [](const arma::mat& x, std::size_t layers) {
    double least = HUGE_VAL;
    for (int repeat = 0; repeat < 3; ++repeat) least = std::min(least, seconds([&] { fit_rbig(x, plain(layers)); }));
    return least;
  };
  const arma::mat x = draw(KnownDistribution::sine_chain, 100'000, 20, Seed{1}).x;
  const arma::mat narrow = x.head_cols(10);
  const arma::mat half = narrow.head_rows(50'000);
  const double base = best(half, 20);
  std::printf("%-28s %6.2f\n", "rows 50,000 → 100,000", best(narrow, 20) / base);
  std::printf("%-28s %6.2f\n", "columns 10 → 20", best(x.head_rows(50'000), 20) / base);
  std::printf("%-28s %6.2f\n", "layers 20 → 40", best(half, 40) / base);
}

void quality() {
  struct Variant {
    const char* name;
    RbigOptions options;
  };
  const auto with = [](RotationKind rotation, BandwidthRule first, BandwidthRule later) {
    return RbigOptions{.rotation = rotation, .first_bandwidth = first, .bandwidth = later, .report_rows = 0};
  };
  using enum BandwidthRule;
  const Variant variants[] = {
      {"paper (PCA, 5 layers)", paper_rbig_options()},
      {"pca", with(RotationKind::pca, likelihood, rule_of_thumb)},
      {"random", with(RotationKind::random, likelihood, rule_of_thumb)},
      {"ica", with(RotationKind::ica, likelihood, rule_of_thumb)},
      {"sliced", with(RotationKind::sliced, likelihood, rule_of_thumb)},
      {"auto", with(RotationKind::automatic, likelihood, rule_of_thumb)},
      {"sliced, rule everywhere", with(RotationKind::sliced, rule_of_thumb, rule_of_thumb)},
      {"sliced, ISJ everywhere", with(RotationKind::sliced, sheather_jones, sheather_jones)},
      {"sliced, likelihood everywhere", with(RotationKind::sliced, likelihood, likelihood)},
  };
  std::printf("10-D distributions, N = 10,000 to fit, 10,000 to test: test NLL in nats\n");
  for (const KnownDistribution distribution : {KnownDistribution::sine_chain, KnownDistribution::gaussian_copula}) {
    const KnownSample training = draw(distribution, 10'000, 10, Seed{1});
    const KnownSample test = draw(distribution, 10'000, 10, Seed{2});
    std::printf("\n%s, truth %.4f\n%-32s %10s %20s %8s %8s\n", std::string(name(distribution)).c_str(),
                -arma::mean(test.log_density), "", "test NLL", "above the truth", "layers", "fit, s");
    const auto row = [&](const char* label, const Flow& flow, std::size_t layers, double time) {
      const arma::vec log_p = log_density(flow, test.x);
      const Estimate excess = mean_estimate(test.log_density - log_p);
      std::printf("%-32s %10.4f %10.4f ± %.4f %8zu %8.2f\n", label, -arma::mean(log_p), excess.value,
                  excess.standard_error, layers, time);
      std::fflush(stdout);
    };
    row("gaussian", fit_gaussian(training.x), 1, 0.0);
    for (const Variant& variant : variants) {
      RbigFit fit;
      const double time = seconds([&] { fit = fit_rbig(training.x, variant.options); });
      row(variant.name, fit.flow, fit.layers_kept, time);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "speed";
  if (what == "speed") speed();
  if (what == "scaling") scaling();
  if (what == "quality") quality();
}
