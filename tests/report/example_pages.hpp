#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "gaussianize/core/execution.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/toys.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/marginal/detail/negentropy.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "report/report.hpp"

namespace gaussianize::report::testing {
using namespace detail;

/// Small real fits, and the input structs filled from them as the commands fill theirs.
struct Example {
  arma::mat training, test;
  Flow gaussian;
  RbigFit rbig;
  GfFit gf;
};

inline Example fit_example(arma::mat training, arma::mat test, std::size_t layers, std::size_t epochs) {
  Example e{.training = std::move(training), .test = std::move(test)};
  e.gaussian = fit_gaussian(e.training);
  e.rbig = fit_rbig(e.training, {.max_layers = layers});
  e.gf = fit_gf(e.training, {.layers = 6, .epochs = epochs});
  return e;
}

inline Example plane_example(std::size_t rows, std::size_t layers, std::size_t epochs) {
  return fit_example(draw(Toy::two_spirals, rows, Seed{1}), draw(Toy::two_spirals, rows, Seed{2}), layers, epochs);
}

inline Example space_example(std::size_t rows, std::size_t layers, std::size_t epochs) {
  return fit_example(draw(KnownDistribution::sine_chain, rows, 5, Seed{1}).x,
                     draw(KnownDistribution::sine_chain, rows, 5, Seed{2}).x, layers, epochs);
}

/// J_m after every layer by its estimator; I from J, whose change each layer's log-determinant gives exactly.
inline LayerTrace trace_of(const Flow& flow, arma::mat x) {
  LayerTrace trace;
  const auto j_m = [&] { return kernel_negentropy(x, 2000); };
  arma::vec j(flow.layers.size() + 1, arma::fill::zeros);
  trace.marginal_negentropy.push_back(j_m());
  arma::vec energy = 0.5 * arma::sum(arma::square(x), 1);
  for (std::size_t l = 0; l < flow.layers.size(); ++l) {
    arma::vec log_det(x.n_rows, arma::fill::zeros);
    forward(flow.layers[l], x, log_det, 0);
    const arma::vec after = 0.5 * arma::sum(arma::square(x), 1);
    j(l + 1) = j(l) + arma::mean(after - energy - log_det);
    energy = after;
    trace.marginal_negentropy.push_back(j_m());
  }
  // Taken as zero at the end, so that the pictures have something to show: the true value is not known here.
  const double left = j(flow.layers.size());
  for (std::size_t l = 0; l <= flow.layers.size(); ++l)
    trace.total_correlation.push_back({j(l) - left - trace.marginal_negentropy[l].value, 0.01});
  return trace;
}

inline Model evaluated(const std::string& name, const Flow& flow, const Example& e) {
  Model model{.name = name,
              .flow = &flow,
              .fit_seconds = 1.5,
              .score_rows_per_second = 250000,
              .sample_rows_per_second = 90000.4,
              .round_trip_max_error = 3.2e-14};
  model.test_nll = mean_estimate(-log_density(flow, e.test));
  const arma::mat z = forward(flow, e.test).z;
  const Estimate j_m = kernel_negentropy(z, 5000);
  model.left = {{j_m.value + 0.01, 0.005}, {0.01, 0.004}, j_m, true};
  model.learned_from_chance = {0.0712, 0.011};
  return model;
}

inline Provenance example_provenance() {
  return {.command = "gaussianize compare spirals.csv --seed 1 --report out.html",
          .seed = Seed{1},
          .settings = {{"RBIG", {{"rotation", "auto"}, {"max layers", "40"}, {"stop", "likelihood"}}},
                       {"GF", {{"layers", "6"}, {"anchors", "chosen: 40"}}}}};
}

inline CompareInput compare_input(const Example& e, const std::vector<std::string>& columns) {
  CompareInput input{
      .data = {.name = "example", .columns = columns, .training_rows = e.training.n_rows, .test_rows = e.test.n_rows},
      .test = e.test};
  input.models = {evaluated("Gaussian", e.gaussian, e), evaluated("RBIG", e.rbig.flow, e),
                  evaluated("GF", e.gf.flow, e)};
  input.models[1].curve = training_curve(e.rbig);
  input.models[2].curve = training_curve(e.gf);
  input.models[1].trace = trace_of(e.rbig.flow, e.test);
  input.models[2].trace = trace_of(e.gf.flow, e.test);
  input.models[1].notes = {"stopped because " + std::string(name(e.rbig.stop_reason)) + "."};
  input.pairs = {{"GF − RBIG", mean_estimate(log_density(e.rbig.flow, e.test) - log_density(e.gf.flow, e.test))}};
  input.findings = {"Three models were fitted to the same rows."};
  input.provenance = example_provenance();
  return input;
}

inline DiagnoseInput diagnose_input(const Example& e, const std::vector<std::string>& columns) {
  const CompareInput compare = compare_input(e, columns);
  DiagnoseInput input{.data = compare.data,
                      .rows = e.test,
                      .negentropy = {2.31, 0.02},
                      .total_correlation = {1.58, 0.02},
                      .marginal_negentropy = {0.73, 0.01},
                      .models = {compare.models[1], compare.models[2]}};
  for (std::size_t d = 0; d < columns.size(); ++d) {
    input.columns.push_back({d, {0.1 * static_cast<double>(d), 0.004}, 17 * d});
    for (std::size_t c = 0; c < d; ++c)
      input.pairs.push_back({c, d, {0.5 / static_cast<double>(d - c) - 0.11, 0.006}, c == 0 ? 0.031 : 0.001, c == 1});
  }
  input.provenance = example_provenance();
  return input;
}

inline FitInput fit_input(const Example& e, const std::vector<std::string>& columns) {
  const CompareInput compare = compare_input(e, columns);
  FitInput input{.data = compare.data, .training = e.training, .held_out = e.test, .model = compare.models[2]};
  input.model.training_nll = mean_estimate(-log_density(e.gf.flow, e.training));
  input.provenance = example_provenance();
  return input;
}

}  // namespace gaussianize::report::testing
