#include <cmath>
#include <limits>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/info/kl_account.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/draws.hpp"

using namespace gaussianize;
using gaussianize::testing::absolute_error;
using gaussianize::testing::normals;
using gaussianize::testing::same_bytes;

namespace {

ModelRows rows_of(const Flow& flow, const arma::mat& x) {
  return {log_density(flow, x), forward(flow, x).z};
}

/// A Gaussian and an RBIG, on rows that neither was fitted to.
struct Example {
  KnownSample fresh;
  std::vector<Flow> flows;
  std::vector<ModelRows> models;

  Example(KnownDistribution distribution, std::size_t rows, std::size_t dimension)
      : fresh(draw(distribution, rows, dimension, Seed{2})) {
    const arma::mat training = draw(distribution, rows, dimension, Seed{1}).x;
    flows = {fit_gaussian(training), fit_rbig(training, {.max_layers = 10, .report_rows = 0}).flow};
    for (const Flow& flow : flows) models.push_back(rows_of(flow, fresh.x));
  }

  Estimate above_truth(std::size_t m) const { return mean_estimate(fresh.log_density - models[m].log_density); }
};

void check_sums(const KlAccount& account, const Example& example) {
  CHECK(absolute_error(account.j.value, account.i.value + account.j_m.value) < 1e-11);
  for (const KlRemainder& left : account.left)
    CHECK(absolute_error(left.j.value, left.i.value + left.j_m.value) < 1e-11);
  const double difference = arma::mean(example.models[1].log_density - example.models[0].log_density);
  CHECK(absolute_error(account.left[0].j.value - account.left[1].j.value, difference) < 1e-11);
}

}  // namespace

TEST_CASE("with the truth, what a model leaves is its distance from the truth, and J is exact") {
  const Example example(KnownDistribution::sine_chain, 3000, 4);
  const KlAccount account =
      kl_account(example.fresh.x, example.models, {.true_log_density = example.fresh.log_density});
  CHECK(account.source == JSource::truth);
  CHECK_FALSE(account.bound);
  CHECK(account.warnings.empty());
  check_sums(account, example);
  for (std::size_t m = 0; m < 2; ++m) {
    const Estimate above = example.above_truth(m);
    CHECK(absolute_error(account.left[m].j.value, above.value) < 1e-12);
    CHECK(absolute_error(account.left[m].j.standard_error, above.standard_error) < 1e-12);
  }
  // −h(x) + h of a normal distribution with the same scales.
  const arma::rowvec scale = arma::stddev(example.fresh.x, 1);
  const double log_normal = -0.5 * 4 * (1 + std::log(2 * arma::datum::pi)) - arma::accu(arma::log(scale));
  CHECK(absolute_error(account.j.value, arma::mean(example.fresh.log_density) - log_normal) < 1e-10);
}

TEST_CASE("without the truth, what is left is a lower bound on the distance, and models differ as their densities do") {
  for (const KnownDistribution distribution :
       {KnownDistribution::gaussian, KnownDistribution::gaussian_copula, KnownDistribution::student_t_ar1,
        KnownDistribution::rotated_uniform, KnownDistribution::sine_chain}) {
    for (const std::size_t d : {2UL, 5UL}) {
      CAPTURE(name(distribution));
      CAPTURE(d);
      const Example example(distribution, 2000, d);
      const KlAccount account = kl_account(example.fresh.x, example.models);
      CHECK(account.bound);
      check_sums(account, example);
      for (std::size_t m = 0; m < 2; ++m) {
        const Estimate above = example.above_truth(m), left = account.left[m].j;
        CHECK(left.value < above.value + 3 * std::hypot(left.standard_error, above.standard_error));
        CHECK(left.value > -3 * left.standard_error - 1e-12);
      }
      const KlAccount known = kl_account(example.fresh.x, {}, {.true_log_density = example.fresh.log_density});
      CHECK(account.j.value < known.j.value + 3 * std::hypot(account.j.standard_error, known.j.standard_error));
      CHECK(account.j.value > 0.7 * known.j.value - 0.02);
    }
  }
}

TEST_CASE("the trace of every model starts at the account's J and ends at what the model leaves") {
  const Example example(KnownDistribution::sine_chain, 1500, 3);
  for (const bool truth : {true, false}) {
    const KlAccount account =
        kl_account(example.fresh.x, example.models,
                   {.true_log_density = truth ? example.fresh.log_density : arma::vec{}, .threads = 2});
    for (std::size_t m = 0; m < 2; ++m) {
      const KlTrace trace = kl_trace(example.flows[m], example.fresh.x, {.reference = account.reference});
      const TraceStage& start = trace.layers.front().before;
      for (const auto& [traced, accounted] :
           {std::pair(start.j, account.j), std::pair(start.i, account.i), std::pair(start.j_m, account.j_m),
            std::pair(trace.end.j, account.left[m].j), std::pair(trace.end.i, account.left[m].i),
            std::pair(trace.end.j_m, account.left[m].j_m), std::pair(trace.identity.j, account.j)}) {
        CHECK(absolute_error(traced.value, accounted.value) < 1e-10);
        CHECK(absolute_error(traced.standard_error, accounted.standard_error) < 1e-10);
      }
      double change = 0;
      for (const TraceLayer& layer : trace.layers) change += layer.j_change.value;
      CHECK(absolute_error(start.j.value + change, trace.end.j.value) < 1e-10);
      CHECK(absolute_error(trace.identity.j.value - trace.identity.i.value - trace.identity.j_m.value,
                           trace.identity.gap.value) < 1e-10);
    }
  }
}

TEST_CASE("a trace of a flow that only standardises, or has no layers, starts at J too") {
  const arma::mat x = 3 + 2 * normals(400, 1, 5);
  const Flow flow = fit_gaussian(normals(400, 1, 6));
  const KlAccount account = kl_account(x, {rows_of(flow, x)});
  const KlTrace trace = kl_trace(flow, x, {.reference = account.reference});
  REQUIRE(trace.layers.size() == 1);
  CHECK(absolute_error(trace.layers[0].before.j.value, account.j.value) < 1e-10);
  CHECK(absolute_error(trace.end.j.value, account.left[0].j.value) < 1e-10);
  CHECK(trace.end.i.value == 0);
  CHECK(account.left[0].j.value > 1);
  const KlTrace none = kl_trace(Flow{1, {}}, x, {.reference = account.reference});
  CHECK(absolute_error(none.identity.j.value, account.j.value) < 1e-10);
}

TEST_CASE("one column: nothing can be missed") {
  const Example example(KnownDistribution::gaussian_copula, 1000, 1);
  const KlAccount account = kl_account(example.fresh.x, example.models);
  CHECK_FALSE(account.bound);
  CHECK(account.i.value == 0);
  CHECK(account.j.value == account.j_m.value);
  CHECK(account.left[0].i.value == 0);
}

TEST_CASE("the measures stand in where they find more than the models") {
  // Independent sources, mixed: a Gaussian sees their correlation alone.
  const KnownSample fresh = draw(KnownDistribution::rotated_uniform, 2000, 3, Seed{4});
  const Flow poor{3, {{Identity{}, fit_affine(fresh.x)}}};
  const KlAccount account = kl_account(fresh.x, {rows_of(poor, fresh.x)});
  CHECK(account.left[0].j.value > 0.1);
  CHECK(absolute_error(account.left[0].j.value, account.j.value) < 1e-10);
  // Without any model the measures are all there is.
  const KlAccount alone = kl_account(fresh.x, {});
  CHECK(alone.source == JSource::measures);
  CHECK(absolute_error(alone.j.value, account.j.value) < 1e-10);
}

TEST_CASE("more rows than are measured: the terms of I are no longer the rows' own, the sums still are") {
  const Example example(KnownDistribution::sine_chain, 2000, 2);
  const KlAccount all = kl_account(example.fresh.x, example.models);
  const KlAccount thinned = kl_account(example.fresh.x, example.models, {.max_rows = 500});
  check_sums(thinned, example);
  CHECK(std::abs(thinned.j.value - all.j.value) < 4 * std::hypot(thinned.j.standard_error, all.j.standard_error));
}

TEST_CASE("hostile rows give unknowns, not exceptions, and mistakes of the caller are refused") {
  const Example example(KnownDistribution::gaussian, 200, 3);
  const arma::mat few = example.fresh.x.head_rows(10);
  const std::vector<ModelRows> models{rows_of(example.flows[0], few)};
  const KlAccount nothing = kl_account(few, models);
  CHECK(nothing.source == JSource::model);
  CHECK(std::isfinite(nothing.j.value));
  CHECK(std::isnan(nothing.j.standard_error));
  CHECK(nothing.left[0].j.value == 0);
  CHECK(std::isnan(nothing.left[0].j.standard_error));
  CHECK(std::isnan(nothing.left[0].i.value));
  const KlAccount one = kl_account(few.col(0), {rows_of(fit_gaussian(example.fresh.x.col(0)), few.col(0))});
  CHECK(one.bound);
  const arma::mat two = few.head_rows(2);
  CHECK(kl_account(two, {rows_of(example.flows[0], two)}).source == JSource::none);
  arma::mat constant = example.fresh.x;
  constant.col(1).fill(2);
  CHECK(std::isnan(kl_account(constant, example.models).j.value));
  CHECK(std::isnan(kl_account(constant, example.models).left[0].j.value));

  // More columns than rows: I has no standard error, and so has J.
  const arma::mat wide = normals(25, 30, 9);
  CHECK(std::isnan(kl_account(wide, {}).j.standard_error));

  // A model without z, or without a density somewhere, is accounted for as far as it goes.
  std::vector<ModelRows> damaged = example.models;
  damaged[0].z.col(2).zeros();
  damaged[1].log_density[7] = -std::numeric_limits<double>::infinity();
  const KlAccount account = kl_account(example.fresh.x, damaged);
  CHECK(std::isfinite(account.j.value));
  CHECK(std::isfinite(account.left[0].j.value));
  CHECK(std::isnan(account.left[0].j_m.value));
  CHECK(account.left[1].j.value == HUGE_VAL);

  CHECK_THROWS_AS(kl_account(few, example.models), std::invalid_argument);
  CHECK_THROWS_AS(kl_account(example.fresh.x.cols(0, 1), example.models), std::invalid_argument);
  CHECK_THROWS_AS(kl_account(example.fresh.x, {}, {.true_log_density = arma::vec(3)}), std::invalid_argument);
  const KlReference short_reference{.log_density = arma::vec(3)};
  CHECK_THROWS_AS(kl_trace(example.flows[0], example.fresh.x, {.reference = short_reference}), std::invalid_argument);
}

TEST_CASE("any number of threads gives an account of the same bytes") {
  const Example example(KnownDistribution::sine_chain, 700, 3);
  const auto numbers = [&](int threads) {
    const KlAccount account = kl_account(example.fresh.x, example.models, {.threads = threads});
    return std::vector<double>{account.j.value, account.j.standard_error, account.left[0].i.value,
                               account.left[1].j.standard_error};
  };
  const std::vector<double> one = numbers(1);
  for (const int threads : {2, 3, 8}) CHECK(same_bytes(one, numbers(threads)));
}

TEST_CASE("learned from chance: a model of as many layers as rows allow likes its own rows better") {
  const arma::mat training = normals(300, 4, 11), fresh = normals(300, 4, 12);
  const Flow flow = fit_rbig(training, {.shrink = false,
                                        .step_fraction = 1,
                                        .stop = StoppingRule::fixed,
                                        .max_layers = 30,
                                        .search = false,
                                        .report_rows = 0})
                        .flow;
  const Estimate learned =
      learned_from_chance(mean_estimate(log_density(flow, training)), mean_estimate(log_density(flow, fresh)));
  CHECK(learned.value > 5 * learned.standard_error);
  CHECK(learned_from_chance({1, 3}, {1, 4}).value == 0);
  CHECK(learned_from_chance({1, 3}, {1, 4}).standard_error == 5);
}
