#include <cmath>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/gf/detail/initialise.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/random.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

arma::mat standardised(std::size_t rows, std::size_t dimension) {
  arma::mat x = draw(KnownDistribution::sine_chain, rows, dimension, Seed{1}).x;
  arma::vec log_det(rows, arma::fill::zeros);
  forward(fit_affine(x), x, log_det);
  return x;
}

double nll(const GfParameters& parameters, const arma::mat& x) {
  return -arma::mean(log_density(Flow{x.n_cols, to_layers(parameters)}, x));
}

}  // namespace

TEST_CASE("quantile anchors start better than random rows, and better than no layers at all") {
  const arma::mat x = standardised(4000, 4);
  GfOptions options{.layers = 6, .anchors = 20, .first_anchors = 20, .reflections = 4};
  const double quantile = nll(initialise(x, options), x);
  options.init = Initialisation::rows;
  const double rows = nll(initialise(x, options), x);
  CHECK(quantile < rows);
  CHECK(quantile < nll({}, x));
}

TEST_CASE("anchors are the columns' quantiles; bandwidths the rule of thumb, or less where anchors are dense") {
  arma::mat x(1001, 1);
  x.col(0) = arma::linspace(-1, 1, 1001);
  const GfParameters p = initialise(x, {.layers = 1, .anchors = 10, .first_anchors = 10, .reflections = 1});
  for (std::size_t k = 0; k < 10; ++k)
    CHECK(testing::relative_error(p.layers[0].marginal.mu(k, 0), -1 + 2 * (static_cast<double>(k) + 0.5) / 10) < 1e-14);
  const double scale = arma::stddev(x.col(0), 1);
  CHECK(testing::relative_error(std::exp(p.layers[0].marginal.log_scale(3, 0)), rule_of_thumb_bandwidth(scale, 10)) <
        1e-14);
  // Nine tenths of the rows in a hundredth of the range: the kernels there are narrower.
  x.col(0).head(900) *= 0.01;
  const LogisticMixture crowded =
      initialise(x, {.layers = 1, .anchors = 10, .first_anchors = 10, .reflections = 1}).layers[0].marginal;
  CHECK(crowded.log_scale(4, 0) < crowded.log_scale(9, 0) - 2);
}

TEST_CASE("the first layer has anchors of its own number") {
  const GfParameters p =
      initialise(standardised(500, 3), {.layers = 3, .anchors = 5, .first_anchors = 9, .reflections = 3});
  CHECK(p.layers[0].marginal.mu.n_rows == 9);
  CHECK(p.layers[1].marginal.mu.n_rows == 5);
  CHECK(p.layers[2].marginal.logit.n_rows == 5);
}

TEST_CASE("the start depends on the seed, not on the threads") {
  const arma::mat x = standardised(3000, 4);
  GfOptions options{.layers = 3,
                    .anchors = 8,
                    .first_anchors = 8,
                    .reflections = 4,
                    .init = Initialisation::rows,
                    .init_rows = 500,
                    .threads = 1};
  GfParameters one = initialise(x, options);
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    GfParameters again = initialise(x, options);
    const auto a = parameter_blocks(one);
    const auto b = parameter_blocks(again);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::equal(a[i].values, a[i].values + a[i].count, b[i].values));
  }
  options.seed = Seed{9};
  GfParameters other = initialise(x, options);
  CHECK(parameter_blocks(other)[0].values[0] != parameter_blocks(one)[0].values[0]);
}

TEST_CASE("an RBIG flow becomes a trainable one with the same rotations and nearly the same maps") {
  const arma::mat x = standardised(3000, 3);
  RandomStream stream(Seed{2}, Purpose::test);
  std::vector<Layer> layers;
  arma::mat y = x;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  for (int l = 0; l < 3; ++l) {
    Layer layer{Identity{}, AffineMarginal{}};
    if (l > 0) layer.rotation = Orthogonal{random_rotation(3, stream)};
    const arma::mat rotated = forward(layer.rotation, y);
    SplineMarginal splines = fit_kde(rotated);
    for (MonotoneSpline& spline : splines.columns) spline.shrinkage = 1e-3;
    layer.marginal = splines;
    forward(layer, y, log_det);
    layers.push_back(layer);
  }
  const GfParameters p = from_rbig(layers, {.anchors = 20, .first_anchors = 50});
  REQUIRE(p.layers.size() == 3);
  for (int l = 1; l < 3; ++l)
    CHECK(arma::abs(matrix(std::get<Householder>(p.layers[l].rotation)) - std::get<Orthogonal>(layers[l].rotation).q)
              .max() < 1e-13);
  const double before = -arma::mean(log_density(Flow{3, layers}, x));
  CHECK(std::abs(nll(p, x) - before) < 0.02);
  CHECK_THROWS_AS(from_rbig({{Identity{}, fit_affine(x)}}, {.anchors = 10, .first_anchors = 10}),
                  std::invalid_argument);
  CHECK_THROWS_WITH_AS(from_rbig(layers, {}), doctest::Contains("resolved"), std::invalid_argument);
}
