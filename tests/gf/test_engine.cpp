#include <cmath>
#include <numeric>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/gf/detail/engine.hpp"
#include "gaussianize/gf/detail/initialise.hpp"

#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

struct Case {
  arma::mat x;
  GfParameters parameters;
};

Case make_case(std::size_t rows, std::size_t dimension, GfOptions options) {
  arma::mat x = draw(KnownDistribution::sine_chain, rows, dimension, Seed{1}).x;
  arma::vec log_det(rows, arma::fill::zeros);
  forward(fit_affine(x), x, log_det);
  options.reflections = options.reflections > 0 ? options.reflections : dimension;
  options.first_anchors = options.anchors + 1;
  GfParameters parameters = initialise(x, options);
  return {x, parameters};
}

/// Sixth-order central difference of the mean NLL in one number.
double numeric_slope(const arma::mat& x, GfParameters& parameters, double& number) {
  const std::size_t dimension = x.n_cols;
  const double saved = number;
  const double h = 2e-4 * (1 + std::abs(saved));
  const auto loss = [&](double offset) {
    number = saved + offset;
    return -arma::mean(log_density(Flow{dimension, to_layers(parameters)}, x));
  };
  const double slope =
      (45 * (loss(h) - loss(-h)) - 9 * (loss(2 * h) - loss(-2 * h)) + (loss(3 * h) - loss(-3 * h))) / (60 * h);
  number = saved;
  return slope;
}

void check_gradient(Case c) {
  GfEngine engine(c.x.n_rows, 2);
  GfParameters gradient;
  const double loss = engine.loss_and_gradient(c.parameters, c.x, all_rows(c.x.n_rows), gradient);
  CHECK(testing::relative_error(loss, -arma::mean(log_density(Flow{c.x.n_cols, to_layers(c.parameters)}, c.x))) <
        1e-14);
  const auto numbers = parameter_blocks(c.parameters);
  const auto slopes = parameter_blocks(gradient);
  RandomStream stream(Seed{3}, Purpose::test);
  for (std::size_t b = 0; b < numbers.size(); ++b) {
    CAPTURE(numbers[b].name);
    for (int probe = 0; probe < 4; ++probe) {
      const std::size_t i = stream.below(numbers[b].count);
      const double numeric = numeric_slope(c.x, c.parameters, numbers[b].values[i]);
      CHECK(std::abs(slopes[b].values[i] - numeric) < 1e-7 * std::max(0.01, std::abs(numeric)));
    }
  }
}

}  // namespace

TEST_CASE("the gradient of a whole flow is the derivative of its loss") {
  SUBCASE("the paper's layers") {
    check_gradient(make_case(100, 3, {.layer = LayerMap::paper, .layers = 3, .anchors = 5}));
  }
  SUBCASE("one dimension") {
    check_gradient(make_case(60, 1, {.layers = 2, .anchors = 4, .train_weights = false}));
  }
  SUBCASE("Householder") {
    check_gradient(make_case(100, 3, {.layers = 3, .anchors = 5, .rotate_first = true, .train_weights = false}));
  }
  SUBCASE("few reflections, trained weights, two marginals a rotation") {
    check_gradient(make_case(
        100, 5, {.layers = 3, .anchors = 4, .reflections = 2, .train_weights = true, .marginals_per_rotation = 2}));
  }
  SUBCASE("patches and Householder in turn") {
    check_gradient(make_case(
        80, 16, {.layers = 4, .anchors = 3, .reflections = 4, .rotations = RotationLayout::alternating, .patch = 2}));
  }
}

TEST_CASE("loss and gradient have the same bits for any number of threads") {
  Case c = make_case(700, 4, {.layers = 3, .anchors = 6});
  const auto rows = all_rows(700);
  GfParameters expected;
  const double loss = GfEngine(700, 1).loss_and_gradient(c.parameters, c.x, rows, expected);
  for (const int threads : {2, 3, 8}) {
    GfParameters gradient;
    CHECK(GfEngine(700, threads).loss_and_gradient(c.parameters, c.x, rows, gradient) == loss);
    const auto a = parameter_blocks(expected);
    const auto b = parameter_blocks(gradient);
    for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::equal(a[i].values, a[i].values + a[i].count, b[i].values));
  }
}

TEST_CASE("the engine can be used again for batches of other sizes") {
  Case c = make_case(300, 3, {.layers = 2, .anchors = 4});
  GfEngine used(300, 2);
  GfParameters gradient, fresh;
  used.loss_and_gradient(c.parameters, c.x, all_rows(300), gradient);
  const auto few = all_rows(41);
  const double loss = used.loss_and_gradient(c.parameters, c.x, few, gradient);
  CHECK(loss == GfEngine(300, 1).loss_and_gradient(c.parameters, c.x, few, fresh));
  CHECK(parameter_blocks(gradient)[1].values[2] == parameter_blocks(fresh)[1].values[2]);
}

TEST_CASE("blocks are as large as the batch allows") {
  CHECK(training_block_rows(2000) == 256);
  CHECK(training_block_rows(500) == 128);
  CHECK(training_block_rows(100) == 32);
  CHECK(training_block_rows(1) == 32);
}
