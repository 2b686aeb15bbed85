#include <cmath>
#include <limits>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bytes;

namespace {

RbigOptions quick() {
  return {.max_layers = 6, .patience = 3, .search = false, .report_rows = 1000};
}

}  // namespace

TEST_CASE("the fit is the same to the last bit for any number of threads") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 1200, 4, Seed{1}).x;
  for (const RotationKind kind :
       {RotationKind::pca, RotationKind::ica, RotationKind::random, RotationKind::automatic}) {
    CAPTURE(name(kind));
    RbigOptions options = quick();
    options.rotation = kind;
    options.threads = 1;
    const RbigFit one = fit_rbig(x, options);
    const arma::vec log_p = log_density(one.flow, x);
    for (const int threads : {2, 3, 8}) {
      options.threads = threads;
      const RbigFit again = fit_rbig(x, options);
      CHECK(again.layers_kept == one.layers_kept);
      CHECK(same_bytes(log_density(again.flow, x), log_p));
      CHECK(again.layers.back().j_m_after.value == one.layers.back().j_m_after.value);
    }
  }
}

TEST_CASE("the change of J that a layer reports is what the flow's own terms add up to") {
  const arma::mat x = draw(KnownDistribution::gaussian_copula, 2000, 3, Seed{2}).x;
  RbigOptions options = quick();
  options.stop = StoppingRule::fixed;
  const RbigFit fit = fit_rbig(x, options);
  REQUIRE(fit.layers.size() == 6);
  // J falls by exactly as much as the training NLL does: both are −E log p up to the entropy of the data.
  double before = -arma::mean(log_density(Flow{3, {fit.flow.layers[0]}}, x));
  for (const RbigLayerReport& report : fit.layers) {
    CHECK(testing::relative_error(report.j_change.value, report.training_nll - before) < 1e-10);
    CHECK(report.j_change.standard_error > 0);
    before = report.training_nll;
  }
  CHECK(testing::relative_error(fit.training_nll, -arma::mean(log_density(fit.flow, x))) < 1e-13);
}

TEST_CASE("the first layer removes the marginal part: J_m falls to nearly nothing") {
  const arma::mat x = draw(KnownDistribution::gaussian_copula, 4000, 4, Seed{3}).x;
  RbigOptions options = quick();
  options.report_rows = 0;
  options.stop = StoppingRule::fixed;
  CHECK(std::isnan(fit_rbig(x, options).layers[0].j_m_before.value));
  options.report_rows = 4000;
  const RbigFit fit = fit_rbig(x, options);
  CHECK(fit.layers[0].j_m_before.value > 0.5);
  CHECK(std::abs(fit.layers[0].j_m_after.value) < 0.05);
  // Rotating to principal axes turns the copula's dependence, 1.5·log(1/0.75) nats, into J_m.
  CHECK(fit.layers[1].rotation == RotationKind::pca);
  const Estimate& j_m = fit.layers[1].j_m_before;
  CHECK(testing::absolute_error(j_m.value, 1.5 * std::log(1 / 0.75)) < 4 * j_m.standard_error);
  CHECK(testing::relative_error(j_m.value, 1.5 * std::log(1 / 0.75)) < 0.05);
}

TEST_CASE("the likelihood rule keeps the layers of the best held-out likelihood") {
  const KnownSample s = draw(KnownDistribution::gaussian, 600, 3, Seed{4});
  RbigOptions options{.rotation = RotationKind::random,
                      .shrink = false,
                      .max_layers = 40,
                      .patience = 4,
                      .search = false,
                      .report_rows = 0};
  const RbigFit fit = fit_rbig(s.x, options);
  CHECK(fit.stop_reason == StopReason::likelihood);
  CHECK(fit.layers.size() == fit.layers_kept + 4);
  CHECK(fit.flow.layers.size() == fit.layers_kept + 1);
  CHECK(fit.training_rows + fit.validation_rows == 600);
  for (const RbigLayerReport& report : fit.layers) CHECK(report.validation_nll >= fit.validation_nll);
}

TEST_CASE("the information rule stops on normal data and goes on where there is dependence") {
  RandomStream stream(Seed{5}, Purpose::test);
  RbigOptions options{.rotation = RotationKind::pca,
                      .stop = StoppingRule::information,
                      .max_layers = 30,
                      .patience = 3,
                      .report_rows = 3000};
  const RbigFit idle = fit_rbig(random_normal(3000, 4, stream), options);
  CHECK(idle.stop_reason == StopReason::information);
  CHECK(idle.layers_kept <= 2);
  options.rotation = RotationKind::automatic;
  const RbigFit busy = fit_rbig(draw(KnownDistribution::sine_chain, 3000, 4, Seed{6}).x, options);
  CHECK(busy.layers_kept >= 8);
  CHECK(busy.null_negentropy.standard_error > 0);
}

TEST_CASE("the paper's options are the paper's") {
  const RbigFit fit = fit_rbig(draw(KnownDistribution::sine_chain, 2000, 4, Seed{7}).x, paper_rbig_options());
  CHECK(fit.layers_kept == 5);
  CHECK(fit.stop_reason == StopReason::max_layers);
  CHECK(fit.validation_rows == 0);
  for (std::size_t l = 0; l < fit.layers.size(); ++l) {
    CHECK(fit.layers[l].rotation == (l == 0 ? RotationKind::identity : RotationKind::pca));
    CHECK(fit.layers[l].mean_shrinkage == 0);
  }
}

TEST_CASE("constant columns are named, or dropped if asked") {
  arma::mat x = draw(KnownDistribution::gaussian, 300, 3, Seed{8}).x;
  x.insert_cols(1, arma::vec(300, arma::fill::value(2.5)));
  CHECK_THROWS_WITH_AS(fit_rbig(x, quick()), doctest::Contains("column 1 is constant (2.5)"), DataError);
  RbigOptions options = quick();
  options.constant_columns = ConstantColumns::drop;
  const RbigFit fit = fit_rbig(x, options);
  CHECK(fit.flow.dimension == 3);
  CHECK(arma::all(fit.kept == arma::uvec{0, 2, 3}));
  CHECK(log_density(fit.flow, x.cols(fit.kept)).is_finite());
}

TEST_CASE("mistakes are named") {
  const arma::mat x = draw(KnownDistribution::gaussian, 100, 2, Seed{9}).x;
  const auto refuses = [&](auto change, const char* words) {
    RbigOptions options;
    change(options);
    CHECK_THROWS_WITH_AS(fit_rbig(x, options), doctest::Contains(words), std::invalid_argument);
  };
  refuses([](RbigOptions& o) { o.max_layers = 0; }, "max_layers");
  refuses([](RbigOptions& o) { o.patience = 0; }, "patience");
  refuses([](RbigOptions& o) { o.step_fraction = 0; }, "step_fraction");
  refuses([](RbigOptions& o) { o.step_fraction = 1.5; }, "step_fraction");
  refuses([](RbigOptions& o) { o.min_shrinkage = 1; }, "min_shrinkage");
  refuses([](RbigOptions& o) { o.validation_fraction = 1; }, "validation_fraction");
  refuses([](RbigOptions& o) { o.kde_rows = 1; }, "kde_rows");
  refuses([](RbigOptions& o) { o.threads = -2; }, "threads");
  CHECK_THROWS_WITH_AS(fit_rbig(x, x.cols(0, 0), {}), doctest::Contains("2 training and 1 validation columns"),
                       std::invalid_argument);
  CHECK_THROWS_AS(fit_rbig(x.rows(0, 0)), std::invalid_argument);
  arma::mat bad = x;
  bad(7, 1) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(fit_rbig(bad), doctest::Contains("row 7, column 1"), std::invalid_argument);
}

TEST_CASE("the order of the rows does not matter: a file sorted by a column is fitted as well") {
  const arma::mat x = arma::exp(draw(KnownDistribution::gaussian, 3000, 2, Seed{21}).x);
  const arma::mat held_out = arma::exp(draw(KnownDistribution::gaussian, 1000, 2, Seed{22}).x);
  const arma::mat sorted = x.rows(arma::uvec(arma::sort_index(x.col(0))));
  const RbigOptions options{.stop = StoppingRule::fixed, .max_layers = 8, .report_rows = 0};
  const RbigFit plain = fit_rbig(x, held_out, options), ordered = fit_rbig(sorted, held_out, options);
  CHECK(std::abs(ordered.layers[0].mean_shrinkage - plain.layers[0].mean_shrinkage) < 0.03);
  CHECK(std::abs(ordered.validation_nll - plain.validation_nll) < 0.03);
}

TEST_CASE("a callback sees every layer and can stop the fit, which keeps what it has") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 800, 3, Seed{10}).x;
  std::size_t calls = 0;
  RbigOptions options = quick();
  options.progress = [&](const Progress& p) {
    CHECK(p.done == ++calls);
    CHECK(p.total == 6);
    return p.done < 2;
  };
  const RbigFit fit = fit_rbig(x, options);
  CHECK(calls == 2);
  CHECK(fit.stop_reason == StopReason::cancelled);
  CHECK(fit.layers_kept == 2);
  CHECK(log_density(fit.flow, x).is_finite());
}

TEST_CASE("hostile but legal data give finite fits") {
  RandomStream stream(Seed{11}, Purpose::test);
  arma::mat x = random_normal(200, 3, stream);
  const auto finite = [](const arma::mat& data) {
    RbigOptions options = quick();
    const RbigFit fit = fit_rbig(data, options);
    options.search = true;
    const RbigFit searched = fit_rbig(data, options);
    return log_density(fit.flow, data).is_finite() && log_density(searched.flow, data).is_finite();
  };
  SUBCASE("an outlier at 1e10 scales") {
    x(17, 1) = 1e10;
    CHECK(finite(x));
  }
  SUBCASE("integers and ties") {
    CHECK(finite(arma::round(2 * x)));
  }
  SUBCASE("a binary column") {
    x.col(0) = arma::conv_to<arma::vec>::from(x.col(0) > 0);
    CHECK(finite(x));
  }
  SUBCASE("duplicate columns") {
    x.col(2) = x.col(0);
    CHECK(finite(x));
  }
  SUBCASE("fewer rows than columns") {
    CHECK(finite(random_normal(8, 20, stream)));
  }
  SUBCASE("wild scales") {
    x.col(0) *= 1e200;
    x.col(1) *= 1e-200;
    CHECK(finite(x));
  }
  SUBCASE("Cauchy tails") {
    CHECK(finite(x / arma::flipud(x)));
  }
  SUBCASE("one column") {
    CHECK(finite(x.col(0)));
  }
}
