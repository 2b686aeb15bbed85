#include <algorithm>
#include <cmath>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bytes;

namespace {

/// Columns a, b and a + b + 0.001 ε.
arma::mat collinear(std::size_t rows, Seed seed) {
  RandomStream stream(seed, Purpose::test);
  arma::mat x = random_normal(rows, 3, stream);
  x.col(2) = x.col(0) + x.col(1) + 0.001 * x.col(2);
  return x;
}

double nll(const Flow& flow, const arma::mat& x) {
  return -arma::mean(log_density(flow, x));
}

const RbigCandidate& chosen(const RbigFit& fit) {
  REQUIRE(std::count_if(fit.candidates.begin(), fit.candidates.end(), [](const auto& c) { return c.chosen; }) == 1);
  return *std::find_if(fit.candidates.begin(), fit.candidates.end(), [](const auto& c) { return c.chosen; });
}

}  // namespace

TEST_CASE("nearly collinear columns: the search is as good as the better first map and as the Gaussian") {
  const arma::mat x = collinear(1000, Seed{1}), validation = collinear(200, Seed{2}), test = collinear(2000, Seed{3});
  RbigOptions options{.report_rows = 0};
  const double searched = nll(fit_rbig(x, validation, options).flow, test);
  // These rows are normal: nothing can beat their Gaussian by more than chance, so equality is what is asked for.
  CHECK(searched < nll(fit_gaussian(x), test) + 0.005);
  options.search = false;
  options.first_map = FirstMap::columns;
  const double columns = nll(fit_rbig(x, validation, options).flow, test);
  options.first_map = FirstMap::whitening;
  const double whitening = nll(fit_rbig(x, validation, options).flow, test);
  CHECK(searched < std::min(columns, whitening) + 0.05);
  // What the search is for: the wrong first map costs more than that.
  CHECK(columns > whitening + 0.1);
}

TEST_CASE("columns of their own shape are mapped first") {
  const RbigFit fit = fit_rbig(draw(KnownDistribution::gaussian_copula, 2000, 4, Seed{4}).x, {.report_rows = 0});
  CHECK(chosen(fit).name == "columns first");
  CHECK(fit.layers.front().rotation == RotationKind::identity);
}

TEST_CASE("few normal rows: hardly worse than the Gaussian on new rows") {
  double excess = 0;
  constexpr int samples = 10;
  for (std::uint64_t seed = 0; seed < samples; ++seed) {
    const arma::mat x = draw(KnownDistribution::gaussian, 200, 5, Seed{100 + seed}).x;
    const arma::mat validation = draw(KnownDistribution::gaussian, 20, 5, Seed{200 + seed}).x;
    const arma::mat test = draw(KnownDistribution::gaussian, 4000, 5, Seed{300 + seed}).x;
    const RbigFit fit = fit_rbig(x, validation, {.report_rows = 0});
    excess += (nll(fit.flow, test) - nll(fit_gaussian(x), test)) / samples;
  }
  CHECK(excess < 0.02);
}

TEST_CASE("where the Gaussian is chosen, the fit is the Gaussian's and has no layers") {
  const arma::mat x = draw(KnownDistribution::gaussian, 400, 3, Seed{5}).x,
                  validation = draw(KnownDistribution::gaussian, 40, 3, Seed{6}).x;
  const RbigFit fit = fit_rbig(x, validation, {.report_rows = 0});
  REQUIRE(chosen(fit).name == "gaussian");
  CHECK(fit.layers_kept == 0);
  CHECK(!fit.layers.empty());
  CHECK(same_bytes(log_density(fit.flow, validation), log_density(fit_gaussian(x), validation)));
  CHECK(testing::relative_error(fit.training_nll, nll(fit.flow, x)) < 1e-14);
}

TEST_CASE("the candidates agree with the fit and with the density") {
  struct Case {
    KnownDistribution distribution;
    std::size_t dimension;
    RbigOptions options;
    std::vector<std::string> names;
  };
  const std::vector<Case> cases{
      {KnownDistribution::sine_chain, 3, {}, {"columns first", "whitening first", "gaussian"}},
      {KnownDistribution::gaussian, 3, {}, {"columns first", "whitening first", "gaussian"}},
      {KnownDistribution::laplace_mix, 3, {.first_map = FirstMap::whitening}, {"whitening first", "gaussian"}},
      {KnownDistribution::laplace_mix, 3, {.first_map = FirstMap::columns}, {"columns first", "gaussian"}},
      {KnownDistribution::sine_chain, 3, {.rotation = RotationKind::identity}, {"columns first", "gaussian"}},
      {KnownDistribution::sine_chain, 1, {}, {"columns first", "gaussian"}}};
  for (const Case& c : cases) {
    CAPTURE(name(c.distribution));
    const arma::mat x = draw(c.distribution, 600, c.dimension, Seed{7}).x;
    const arma::mat validation = draw(c.distribution, 200, c.dimension, Seed{8}).x;
    RbigOptions options = c.options;
    options.max_layers = 30;
    options.report_rows = 0;
    const RbigFit fit = fit_rbig(x, validation, options);
    REQUIRE(fit.candidates.size() == c.names.size());
    for (std::size_t i = 0; i < c.names.size(); ++i) CHECK(fit.candidates[i].name == c.names[i]);
    CHECK(fit.candidates.back().layers == 0);
    CHECK(chosen(fit).validation_nll == fit.validation_nll);
    CHECK(chosen(fit).layers == fit.layers_kept);
    CHECK(testing::relative_error(fit.validation_nll, nll(fit.flow, validation)) < 1e-14);
    // The Gaussian may win by simplicity, RBIG only by its likelihood.
    if (chosen(fit).name != "gaussian") CHECK(fit.validation_nll < fit.candidates.back().validation_nll);
  }
}

TEST_CASE("the search gives the same bytes for any number of threads") {
  for (const arma::mat& x : {draw(KnownDistribution::sine_chain, 800, 3, Seed{9}).x, collinear(500, Seed{10})}) {
    RbigOptions options{.max_layers = 25, .report_rows = 0, .threads = 1};
    const RbigFit one = fit_rbig(x, options);
    for (const int threads : {2, 3, 8}) {
      options.threads = threads;
      const RbigFit again = fit_rbig(x, options);
      CHECK(same_bytes(log_density(again.flow, x), log_density(one.flow, x)));
      REQUIRE(again.candidates.size() == one.candidates.size());
      for (std::size_t i = 0; i < one.candidates.size(); ++i) {
        CHECK(again.candidates[i].validation_nll == one.candidates[i].validation_nll);
        CHECK(again.candidates[i].chosen == one.candidates[i].chosen);
      }
    }
  }
}

TEST_CASE("the winner of the search is what it would be alone") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 800, 3, Seed{11}).x;
  const RbigFit searched = fit_rbig(x, {.max_layers = 40, .report_rows = 0});
  const std::string winner = chosen(searched).name;
  REQUIRE(winner != "gaussian");
  const FirstMap first = winner == name(FirstMap::columns) ? FirstMap::columns : FirstMap::whitening;
  const RbigFit alone = fit_rbig(x, {.first_map = first, .max_layers = 40, .search = false, .report_rows = 0});
  CHECK(alone.candidates.empty());
  CHECK(alone.layers_kept == searched.layers_kept);
  CHECK(alone.layers.size() == searched.layers.size());
  CHECK(same_bytes(log_density(alone.flow, x), log_density(searched.flow, x)));
}

TEST_CASE("a callback sees both candidates and can stop the search in either") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 800, 3, Seed{12}).x;
  for (const std::size_t last : {3, 9}) {
    std::size_t calls = 0;
    RbigOptions options{.max_layers = 6, .report_rows = 0};
    options.progress = [&](const Progress& p) {
      CHECK(p.done == ++calls);
      CHECK(p.total == 12);
      CHECK(p.stage.starts_with(p.done <= 6 ? "columns first, layer" : "whitening first, layer"));
      CHECK(p.loss.has_value());
      CHECK(p.validation_loss.has_value());
      return p.done < last;
    };
    const RbigFit fit = fit_rbig(x, options);
    CHECK(calls == last);
    CHECK(fit.stop_reason == StopReason::cancelled);
    CHECK(fit.candidates.size() == (last < 6 ? 2 : 3));
    CHECK(fit.validation_nll == chosen(fit).validation_nll);
    CHECK(log_density(fit.flow, x).is_finite());
  }
}
