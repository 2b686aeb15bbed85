#include <cmath>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/rbig/rbig.hpp"
#include "gaussianize/search/rbig_start.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;
using gaussianize::testing::same_bytes;

TEST_CASE("training starts where RBIG stopped, and goes on from there") {
  for (const KnownDistribution distribution : {KnownDistribution::sine_chain, KnownDistribution::gaussian_copula}) {
    CAPTURE(name(distribution));
    const arma::mat x = draw(distribution, 3000, 4, Seed{1}).x;
    const arma::mat validation = draw(distribution, 1000, 4, Seed{2}).x;
    const GfOptions options{.layers = 6, .anchors = 12, .marginal_layer = false, .epochs = 10};
    const GfParameters start = rbig_start(x, validation, options);
    RbigOptions rbig{.step_fraction = 1, .max_layers = 6, .search = false};
    const RbigFit greedy = fit_rbig(x, validation, rbig);
    REQUIRE(start.layers.size() + 1 == greedy.flow.layers.size());
    const GfFit fit = fit_gf(x, validation, options, &start);
    CHECK(std::abs(fit.initial_nll - greedy.validation_nll) < 0.05);
    CHECK(fit.validation_nll < greedy.validation_nll);
  }
}

TEST_CASE("the start is the same for any number of threads") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 600, 3, Seed{1}).x;
  GfOptions options{.layers = 3, .anchors = 6, .marginal_layer = false, .threads = 1};
  const GfParameters expected = rbig_start(x, {}, options);
  REQUIRE(expected.layers.size() == 3);
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    const GfParameters again = rbig_start(x, {}, options);
    for (std::size_t l = 0; l < 3; ++l) CHECK(same_bytes(again.layers[l].marginal.mu, expected.layers[l].marginal.mu));
  }
}

TEST_CASE("options that RBIG cannot start are refused") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 200, 4, Seed{1}).x;
  for (const GfOptions& options : {GfOptions{}, GfOptions{.marginals_per_rotation = 2, .marginal_layer = false},
                                   GfOptions{.rotations = RotationLayout::patch, .patch = 2, .marginal_layer = false}})
    CHECK_THROWS_WITH_AS(rbig_start(x, {}, options), doctest::Contains("rbig_start"), std::invalid_argument);
}
