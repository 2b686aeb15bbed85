#include <cmath>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/toys.hpp"
#include "gaussianize/gf/gf.hpp"

#include "support/sanitized.hpp"

using namespace gaussianize;

namespace {

/// ∫∫ p by the trapezoidal rule, in the coordinates that the fixed layers in front give the plane: there the integrand
/// is smooth, and a square holds all but a negligible part of it.
double mass(const Flow& flow, std::size_t front_layers) {
  constexpr std::size_t points = 1201;
  const auto first = flow.layers.begin();
  const Flow front{2, {first, first + static_cast<std::ptrdiff_t>(front_layers)}};
  const arma::vec grid = arma::linspace(-9, 9, points);
  const double step = grid[1] - grid[0];
  double sum = 0;
  arma::mat line(points, 2);
  line.col(1) = grid;
  for (const double u : grid) {
    line.col(0).fill(u);
    const arma::mat x = inverse(front, line);
    sum += arma::accu(arma::exp(log_density(flow, x) - forward(front, x).log_det));
  }
  return sum * step * step;
}

}  // namespace

TEST_CASE("a trained density integrates to one and inverts, on every toy") {
  std::vector<Toy> toys{Toy::checkerboard, Toy::eight_gaussians, Toy::pinwheel,   Toy::two_spirals,
                        Toy::moons,        Toy::rings,           Toy::swiss_roll, Toy::cos_curve};
  if (testing::sanitized) toys.resize(1);
  for (const Toy toy : toys) {
    CAPTURE(name(toy));
    const arma::mat x = draw(toy, 2000, Seed{1});
    const GfFit fit = fit_gf(x, {.layers = 6, .anchors = 20, .batch = 200, .epochs = 8});
    CHECK(std::abs(mass(fit.flow, 2) - 1) < 1e-4);
    const arma::mat fresh = draw(toy, 2000, Seed{2});
    const arma::mat back = inverse(fit.flow, forward(fit.flow, fresh).z);
    CHECK(arma::abs((back - fresh) / (1 + arma::abs(fresh))).max() < 1e-9);
  }
}

TEST_CASE("so it does without the fixed kernel layer") {
  const arma::mat x = draw(Toy::moons, 2000, Seed{3});
  GfOptions options{.layers = 3, .anchors = 20, .batch = 200, .epochs = 8};
  options.marginal_layer = false;
  CHECK(std::abs(mass(fit_gf(x, options).flow, 1) - 1) < 1e-4);
}
