#include <cmath>
#include <numbers>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/info/kl_trace.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

/// −½ log det of the AR(1) correlation matrix.
double ar1_total_correlation(std::size_t dimension) {
  return -0.5 * static_cast<double>(dimension - 1) * std::log(1 - ar1_correlation * ar1_correlation);
}

/// Where rows are white by construction, or maps affine, standard errors vanish but for rounding: hence the constant.
bool within(const Estimate& estimate, double truth, double deviations) {
  return std::abs(estimate.value - truth) <= deviations * estimate.standard_error + 2e-3;
}

void check_same(const Estimate& a, const Estimate& b, double tolerance) {
  CHECK(std::abs(a.value - b.value) < tolerance);
  CHECK(std::abs(a.standard_error - b.standard_error) < tolerance);
}

/// J of standardised rows as their true density gives it: the mean of log p − log N(0, I), for the columns' own mean
/// and scale.
double sample_j(const KnownSample& sample, const Flow& flow) {
  const AffineMarginal& standard = std::get<AffineMarginal>(flow.layers[0].marginal);
  arma::mat y = sample.x.each_row() - standard.shift;
  y.each_row() /= standard.scale;
  const auto d = static_cast<double>(y.n_cols);
  return arma::mean(sample.log_density + 0.5 * arma::sum(arma::square(y), 1)) + arma::accu(arma::log(standard.scale)) -
         d * log_normal_pdf(0.0);
}

Flow small_rbig(const arma::mat& x) {
  return fit_rbig(x, {.stop = StoppingRule::fixed, .max_layers = 6, .report_rows = 0}).flow;
}

}  // namespace

TEST_CASE("a Gaussian under its own flow: the rotation moves all of I into J_m, the scaling removes it") {
  for (const std::size_t d : {2UL, 10UL}) {
    CAPTURE(d);
    const arma::mat training = draw(KnownDistribution::gaussian, 20'000, d, Seed{1}).x;
    const arma::mat held_out = draw(KnownDistribution::gaussian, 20'000, d, Seed{2}).x;
    const Flow flow = fit_gaussian(training);
    const double truth = ar1_total_correlation(d);
    for (const arma::mat& x : {training, held_out}) {
      const KlTrace trace = kl_trace(flow, x);
      REQUIRE(trace.layers.size() == 1);
      const TraceLayer& layer = trace.layers[0];
      CHECK(layer.layer == 1);
      CHECK(within(layer.before.j, truth, 4));
      CHECK(within(layer.before.i, truth, 4));
      CHECK(within(layer.before.j_m, 0, 4));
      CHECK(within(layer.rotated.j_m, truth, 4));
      CHECK(within(layer.rotated.i, 0, 4));
      CHECK(within(layer.moved, truth, 4));
      CHECK(within(layer.j_change, -truth, 4));
      CHECK(within(layer.gap, 0, 4));
      CHECK(within(trace.end.j, 0, 4));
      CHECK(within(trace.identity.i, truth, 4));
      CHECK(within(trace.identity.gap, 0, 4));
      // What J and J_m share cancels in the differences: the gap is known far better than J.
      CHECK(trace.identity.gap.standard_error < 0.5 * trace.identity.j.standard_error);
      CHECK(trace.identity.j.standard_error < 0.04);
    }
  }
}

TEST_CASE("the exact part is exact: the layers' changes are those of forward, and stages hang together") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 1500, 4, Seed{3}).x;
  const Flow flow = small_rbig(x);
  const KlTrace trace = kl_trace(flow, x);
  REQUIRE(trace.layers.size() == flow.layers.size() - 1);
  CHECK(trace.rows == 1500);
  arma::mat before = x;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  forward(flow.layers[0], before, log_det);
  double sum = 0;
  for (std::size_t l = 1; l < flow.layers.size(); ++l) {
    CAPTURE(l);
    arma::mat after = before;
    log_det.zeros();
    forward(flow.layers[l], after, log_det);
    const double change = arma::mean(0.5 * arma::sum(arma::square(after) - arma::square(before), 1) - log_det);
    const TraceLayer& layer = trace.layers[l - 1];
    CHECK(std::abs(layer.j_change.value - change) < 1e-11);
    CHECK(std::abs(layer.after.j.value - layer.before.j.value - change) < 1e-10);
    CHECK(layer.rotated.j.value == layer.before.j.value);
    CHECK(std::abs(layer.j_change.value - (layer.after.j_m.value - layer.rotated.j_m.value) - layer.gap.value) < 1e-10);
    for (const TraceStage& stage : {layer.before, layer.rotated, layer.after})
      CHECK(std::abs(stage.j.value - stage.i.value - stage.j_m.value) < 1e-11);
    const TraceStage& next = l + 1 < flow.layers.size() ? trace.layers[l].before : trace.end;
    check_same(layer.after.j, next.j, 1e-9);
    check_same(layer.after.j_m, next.j_m, 1e-12);
    sum += change;
    before = after;
  }
  CHECK(std::abs(trace.identity.j.value - (trace.end.j.value - sum)) < 1e-10);
  CHECK(std::abs(trace.identity.j.value - trace.identity.i.value - trace.identity.j_m.value -
                 trace.identity.gap.value) < 1e-10);
}

TEST_CASE("J = I + J_m of a distribution with known density, on rows that the flow has not seen") {
  const std::size_t d = 5;
  const Flow flow = small_rbig(draw(KnownDistribution::gaussian_copula, 20'000, d, Seed{4}).x);
  const KnownSample fresh = draw(KnownDistribution::gaussian_copula, 20'000, d, Seed{5});
  const KlTrace trace = kl_trace(flow, fresh.x);
  const double truth = sample_j(fresh, flow);
  CHECK(std::abs(trace.identity.j.value - truth) < 0.02 * truth);
  // The copula is Gaussian: increasing maps of the columns leave I alone.
  CHECK(std::abs(trace.identity.i.value - ar1_total_correlation(d)) < 0.05 * ar1_total_correlation(d));
  CHECK(std::abs(trace.identity.gap.value) < 4 * trace.identity.gap.standard_error + 0.01);
  for (const TraceLayer& layer : trace.layers) CHECK(std::abs(layer.gap.value) < 4 * layer.gap.standard_error + 0.005);
}

TEST_CASE("what is left is what the flow's log density lacks, whatever its kind") {
  // Behind the Gaussian flow no correlation is left, and all of the sine's dependence.
  for (const std::size_t d : {2UL, 4UL}) {
    CAPTURE(d);
    const Flow flow = fit_gaussian(draw(KnownDistribution::sine_chain, 5000, d, Seed{14}).x);
    const KnownSample fresh = draw(KnownDistribution::sine_chain, 5000, d, Seed{15});
    const KlTrace trace = kl_trace(flow, fresh.x);
    const Estimate lacks = mean_estimate(fresh.log_density - log_density(flow, fresh.x));
    CHECK(lacks.value > 0.3);
    CHECK(std::abs(trace.end.j.value - lacks.value) < 0.05 * lacks.value + 4 * trace.end.j.standard_error);
    CHECK(trace.end.i.value > 0.5 * lacks.value);
  }
}

TEST_CASE("the gap shows an estimate that is wrong: bins blur the edges of uniform columns") {
  RandomStream stream(Seed{6}, Purpose::test);
  arma::mat x(2000, 2);
  for (double& value : x) value = stream.uniform();
  const Flow flow = fit_rbig(x, {.stop = StoppingRule::fixed, .max_layers = 1, .report_rows = 0}).flow;
  const Estimate good = kl_trace(flow, x).identity.gap;
  const Estimate bad = kl_trace(flow, x, {.method = EntropyMethod::histogram}).identity.gap;
  CHECK(std::abs(good.value) < 4 * good.standard_error);
  CHECK(std::abs(bad.value) > 2 * std::abs(good.value));
  CHECK(std::abs(bad.value) > 4 * bad.standard_error);
}

TEST_CASE("the caller's own estimate of what remains is used, with its error") {
  const arma::mat x = draw(KnownDistribution::gaussian, 2000, 3, Seed{7}).x;
  const Flow flow = fit_gaussian(x);
  const KlTrace plain = kl_trace(flow, x, {.total_correlation = [](const arma::mat&) { return Estimate{0, 0}; }});
  arma::mat seen;
  const KlTrace trace = kl_trace(flow, x, {.total_correlation = [&](const arma::mat& z) {
                                   seen = z;
                                   return Estimate{0.25, 0.1};
                                 }});
  CHECK(arma::abs(seen - forward(flow, x).z).max() == 0);
  CHECK(relative_error(trace.end.i.value, 0.25) < 1e-12);
  CHECK(relative_error(trace.end.i.standard_error, 0.1) < 1e-12);
  CHECK(std::abs(trace.identity.j.value - plain.identity.j.value - 0.25) < 1e-12);
  CHECK(relative_error(trace.identity.j.standard_error, std::hypot(plain.identity.j.standard_error, 0.1)) < 1e-12);
  check_same(trace.identity.gap, plain.identity.gap, 1e-12);
}

TEST_CASE("J in the data's own units: D_KL(N(m, s²) ‖ N(0, 1)), one column") {
  RandomStream stream(Seed{8}, Purpose::test);
  const arma::mat x = 5 + 2 * random_normal(20'000, 1, stream);
  const KlTrace trace = kl_trace(fit_gaussian(x), x);
  const double truth = (25 + 4 - 1) / 2.0 - std::log(2.0);
  CHECK(within(trace.raw_j, truth, 4));
  CHECK(within(trace.raw_j_m, truth, 4));
  CHECK(within(trace.identity.j, 0, 4));
  CHECK(trace.end.i.value == 0);
}

TEST_CASE("units change the raw J alone, from 1e-300 to 1e300") {
  const arma::mat x = draw(KnownDistribution::gaussian, 500, 3, Seed{9}).x;
  const KlTrace plain = kl_trace(fit_gaussian(x), x);
  for (const double a : {1e-300, 1e300}) {
    const arma::mat scaled = a * x;
    const KlTrace trace = kl_trace(fit_gaussian(scaled), scaled);
    check_same(trace.identity.j, plain.identity.j, 1e-6);
    check_same(trace.identity.i, plain.identity.i, 1e-6);
    check_same(trace.identity.gap, plain.identity.gap, 1e-6);
    if (a > 1) CHECK(trace.raw_j.value == HUGE_VAL);
    // J = −h(x) + ½ E‖x‖² + a constant, and nothing is left of the squares.
    const double squares = 0.5 * arma::mean(arma::sum(arma::square(x), 1));
    if (a < 1) CHECK(absolute_error(trace.raw_j.value, plain.raw_j.value - squares - 3 * std::log(a)) < 1e-10);
  }
}

TEST_CASE("hostile data") {
  const arma::mat x = draw(KnownDistribution::gaussian, 200, 3, Seed{10}).x;
  const Flow flow = fit_gaussian(x);
  CHECK(std::isfinite(kl_trace(flow, x.rows(0, 2)).end.i.value));
  CHECK_THROWS_AS(kl_trace(flow, x.rows(0, 1)), DataError);
  CHECK_THROWS_AS(kl_trace(flow, x.cols(0, 1)), std::invalid_argument);
  arma::mat constant = x;
  constant.col(1).fill(2);
  CHECK_THROWS_AS(kl_trace(flow, constant), DataError);
  // One row far out does not change how the others depend.
  arma::mat outlier = x;
  outlier(7, 1) = 1e10;
  CHECK(std::abs(kl_trace(flow, outlier).end.i.value) < 1);
  const arma::mat rounded = arma::round(3 * x);
  CHECK(std::isfinite(kl_trace(small_rbig(rounded), rounded).identity.gap.value));
  const KlTrace empty = kl_trace(Flow{3, {}}, x);
  CHECK(empty.layers.empty());
  CHECK(std::abs(empty.identity.gap.value) < 1e-12);
  check_same(empty.identity.j, empty.end.j, 1e-12);
}

TEST_CASE("any number of threads gives a trace of the same bytes") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 700, 4, Seed{11}).x;
  const Flow flow = small_rbig(x);
  const auto numbers = [&](int threads) {
    const KlTrace trace = kl_trace(flow, x, {.threads = threads});
    std::vector<double> all = {trace.raw_j.value, trace.identity.i.value, trace.identity.gap.standard_error,
                               trace.end.i.standard_error};
    for (const TraceLayer& layer : trace.layers)
      for (const Estimate& e : {layer.before.j, layer.rotated.j_m, layer.after.i, layer.j_change, layer.gap}) {
        all.push_back(e.value);
        all.push_back(e.standard_error);
      }
    return all;
  };
  const std::vector<double> one = numbers(1);
  for (const int threads : {2, 3, 8}) CHECK(same_bytes(one, numbers(threads)));
}
