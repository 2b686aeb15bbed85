#include <cmath>

#include <doctest/doctest.h>

#include "gaussianize/gf/detail/optimizer.hpp"

#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

/// One layer with a single number in each of mu and log_scale.
GfParameters two_numbers(double a, double b) {
  return {{{Identity{}, {arma::mat(1, 1, arma::fill::value(a)), arma::mat(1, 1, arma::fill::value(b)), arma::mat()}}}};
}

double first(const GfParameters& p) {
  return p.layers[0].marginal.mu[0];
}

}  // namespace

TEST_CASE("Adam follows (A1) step by step") {
  const AdamOptions options;
  GfParameters theta = two_numbers(1.0, 0.0);
  AdamState state = start_adam(theta, options);
  double expected = 1.0, m = 0, v = 0;
  for (int t = 1; t <= 50; ++t) {
    const double g = std::sin(t) + 0.1 * expected;
    GfParameters gradient = two_numbers(g, 0.0);
    adam_step(theta, gradient, state, 0.01, options);
    m = 0.9 * m + 0.1 * g;
    v = 0.99 * v + 0.01 * g * g;
    expected -= 0.01 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.99, t))) + 1e-8);
    CHECK(testing::relative_error(first(theta), expected) < 1e-14);
  }
  // A parameter without gradient does not move.
  CHECK(theta.layers[0].marginal.log_scale[0] == 0.0);
  CHECK(state.steps == 50);
}

TEST_CASE("the first step has the learning rate's length, whatever the gradient's") {
  for (const double g : {1e-6, 1.0, -1e6}) {
    GfParameters theta = two_numbers(0.0, 0.0);
    AdamState state = start_adam(theta, {});
    GfParameters gradient = two_numbers(g, 0.0);
    adam_step(theta, gradient, state, 0.1, {});
    CHECK(testing::relative_error(first(theta), -0.1 * g / (std::abs(g) + 1e-8)) < 1e-14);
  }
}

TEST_CASE("AMSGrad never divides by less than it has seen") {
  const AdamOptions options{.beta2 = 0.5, .amsgrad = true};
  GfParameters theta = two_numbers(0.0, 0.0);
  AdamState state = start_adam(theta, options);
  GfParameters gradient = two_numbers(10.0, 0.0);
  adam_step(theta, gradient, state, 0.1, options);
  for (int t = 0; t < 20; ++t) {
    gradient = two_numbers(1e-3, 0.0);
    adam_step(theta, gradient, state, 0.1, options);
    CHECK(state.largest.layers[0].marginal.mu[0] == 50.0);
  }
  CHECK(state.square.layers[0].marginal.mu[0] < 1e-3);
}
