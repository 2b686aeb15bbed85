// Measures the one-dimensional entropy estimators on the panel of distributions: bias, spread over samples, the mean of
// the standard errors they report, how often their 95 % intervals cover the truth, and the time of one call. Sizes may
// be named on the command line; 100 000 takes minutes.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/marginal/detail/negentropy.hpp"

#include "info/panel.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::panel;
using gaussianize::testing::PanelDistribution;

/// The kernel's search for a bandwidth costs as much as a hundred spacings.
std::size_t repeats(std::size_t rows, EntropyMethod method = EntropyMethod::spacing) {
  const std::size_t most = method == EntropyMethod::kde ? 400 : 4000;
  return std::clamp<std::size_t>(4'000'000 / rows, 40, most);
}

void measure(const PanelDistribution& distribution, EntropyMethod method, std::size_t rows) {
  const std::size_t count = repeats(rows, method);
  arma::vec value(count), error(count), excess(count), seconds(count);
  parallel_for(count, 0, [&](std::size_t i) {
    const arma::vec x = draw(distribution, rows, 100 + i);
    const auto start = std::chrono::steady_clock::now();
    const Estimate estimate = entropy(x, method);
    seconds[i] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    value[i] = estimate.value - distribution.entropy;
    error[i] = estimate.standard_error;
    excess[i] = estimate.value - sample_entropy(distribution, x);
  });
  const double covered = arma::mean(arma::conv_to<arma::vec>::from(arma::abs(value) < 1.96 * error));
  std::printf("%8zu  %-18s %-12s %+9.5f ± %7.5f %9.5f %9.5f %7.1f %% %9.3f\n", rows, name(method).data(),
              distribution.name, arma::mean(excess), mean_estimate(excess).standard_error, arma::stddev(value),
              arma::mean(error), 100 * covered, 1e3 * arma::median(seconds));
}

/// The two estimates of D_KL(p ‖ N(0, 1)) on normal data, where it is zero and noise alone is left.
void measure_null(std::size_t rows) {
  const std::size_t count = repeats(rows);
  arma::vec spacing(count), kernel(count), error(count);
  parallel_for(count, 0, [&](std::size_t i) {
    const arma::vec x = draw(panel[0], rows, 100 + i);
    const Estimate estimate = marginal_negentropy(x, {.threads = 1});
    spacing[i] = estimate.value;
    error[i] = estimate.standard_error;
    kernel[i] = negentropy(x.memptr(), rows).value;
  });
  std::printf("%8zu  %+9.5f %9.5f %9.5f   %+9.5f %9.5f\n", rows, arma::mean(spacing), arma::stddev(spacing),
              arma::mean(error), arma::mean(kernel), arma::stddev(kernel));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {100, 1000, 10'000, 100'000};
  std::printf("%8s  %-18s %-12s %9s   %7s %9s %9s %9s %9s\n", "rows", "method", "distribution", "bias", "±", "spread",
              "mean s.e.", "covered", "ms");
  for (const std::size_t rows : sizes)
    for (const EntropyMethod method :
         {EntropyMethod::spacing, EntropyMethod::kde, EntropyMethod::histogram, EntropyMethod::nearest_neighbour})
      for (const PanelDistribution& distribution : panel) measure(distribution, method, rows);
  std::printf("\nlaws that no constant was chosen on\n");
  for (const std::size_t rows : sizes)
    for (const PanelDistribution& distribution : gaussianize::testing::fresh_distributions)
      measure(distribution, EntropyMethod::spacing, rows);
  std::printf("\nnegentropy of normal data\n%8s  %9s %9s %9s   %9s %9s\n", "rows", "spacing", "spread", "mean s.e.",
              "kernel", "spread");
  for (const std::size_t rows : sizes) measure_null(rows);
  return 0;
}
