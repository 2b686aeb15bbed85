#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include <armadillo>
#include <boost/math/distributions/chi_squared.hpp>
#include <doctest/doctest.h>

#include "gaussianize/data/toys.hpp"
#include "gaussianize/math/estimate.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using gaussianize::testing::same_bytes;

namespace {

constexpr Toy all_toys[] = {Toy::checkerboard, Toy::eight_gaussians, Toy::pinwheel,   Toy::two_spirals,
                            Toy::moons,        Toy::rings,           Toy::swiss_roll, Toy::cos_curve};

/// A square that holds all but 1e-7 of every toy, cut into cells×cells; the edges of the discontinuous toys lie on cell
/// borders.
constexpr double half_side = 8;

/// The density at the midpoints of a `side` × `side` grid over the square, in column-major order of (x, y).
arma::mat density_grid(Toy toy, arma::uword side) {
  const double width = 2 * half_side / static_cast<double>(side);
  arma::mat points(side * side, 2);
  for (arma::uword i = 0; i < side * side; ++i) {
    points(i, 0) = -half_side + width * (0.5 + static_cast<double>(i % side));
    points(i, 1) = -half_side + width * (0.5 + static_cast<double>(i / side));
  }
  const arma::vec density = arma::exp(log_density(toy, points));
  return arma::reshape(density, side, side);
}

double cell_area(arma::uword side) {
  return std::pow(2 * half_side / static_cast<double>(side), 2);
}

double entropy(const arma::mat& density) {
  double sum = 0;
  for (const double f : density)
    if (f > 0) sum -= f * std::log(f);
  return sum * cell_area(density.n_rows);
}

/// χ² of a sample against the density, in the cells of a coarse grid that expect at least 10 rows; the others make one
/// more cell.
double goodness_of_fit_p_value(const arma::mat& x, const arma::mat& density, arma::uword coarse) {
  const arma::uword fine = density.n_rows / coarse;
  const auto n = static_cast<double>(x.n_rows);
  arma::mat expected(coarse, coarse, arma::fill::zeros);
  for (arma::uword c = 0; c < density.n_cols; ++c)
    for (arma::uword r = 0; r < density.n_rows; ++r)
      expected(r / fine, c / fine) += n * density(r, c) * cell_area(density.n_rows);
  arma::mat counts(coarse, coarse, arma::fill::zeros);
  const auto cell = [&](double v) {
    return std::min<arma::uword>(
        coarse - 1, static_cast<arma::uword>((v + half_side) / (2 * half_side) * static_cast<double>(coarse)));
  };
  for (arma::uword i = 0; i < x.n_rows; ++i) counts(cell(x(i, 0)), cell(x(i, 1))) += 1;
  double statistic = 0;
  double rest_expected = 0;
  double rest = 0;
  double cells = 0;
  for (arma::uword i = 0; i < expected.n_elem; ++i) {
    if (expected[i] < 10) {
      rest_expected += expected[i];
      rest += counts[i];
      continue;
    }
    statistic += std::pow(counts[i] - expected[i], 2) / expected[i];
    ++cells;
  }
  // Where next to nothing is expected, one row is one too many.
  statistic += std::pow(rest - rest_expected, 2) / std::max(rest_expected, 1.0);
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(cells), statistic));
}

}  // namespace

namespace {

/// What the entropy must be, and how closely. The three without a formula are figures in use for these toys, of
/// unstated precision; the mean over 10,000 draws, as they may be, has a standard error of about 0.01.
std::optional<std::pair<double, double>> known_entropy(Toy toy) {
  switch (toy) {
    case Toy::checkerboard:
      return std::pair(std::log(32.0), 1e-10);
    case Toy::cos_curve:
      return std::pair(std::log(8.0) + std::log(2 * std::numbers::pi * std::numbers::e * 0.09) / 2, 1e-7);
    case Toy::eight_gaussians:
      return std::pair(2.829, 0.02);
    case Toy::pinwheel:
      return std::pair(2.327, 0.02);
    case Toy::two_spirals:
      return std::pair(2.644, 0.02);
    default:
      return std::nullopt;
  }
}

bool is_integral_over_curve(Toy toy) {
  return toy == Toy::two_spirals || toy == Toy::moons || toy == Toy::swiss_roll;
}

}  // namespace

TEST_CASE("densities integrate to one, give the sample's log densities their mean, and fit the sample") {
  for (const Toy toy : all_toys) {
    CAPTURE(name(toy));
    const arma::uword side = is_integral_over_curve(toy) ? 256 : 512;
    const arma::mat density = density_grid(toy, side);
    CHECK(std::abs(arma::accu(density) * cell_area(side) - 1) < 1e-7);
    if (const auto known = known_entropy(toy)) CHECK(std::abs(entropy(density) - known->first) < known->second);
    const arma::mat x = draw(toy, 20000, Seed{1});
    const Estimate mean = mean_estimate(-log_density(toy, x));
    CHECK(std::abs(mean.value - entropy(density)) < 4 * mean.standard_error + 1e-6);
    CHECK(goodness_of_fit_p_value(x, density, 32) > 1e-3);
    // The checker itself: half of the rows moved by 0.2 must not pass.
    arma::mat moved = x;
    moved.head_rows(10000) += 0.2;
    CHECK(goodness_of_fit_p_value(moved, density, 32) < 1e-6);
  }
}

TEST_CASE("checkerboard rows lie on every second 2×2 square, and nothing else has density") {
  const arma::mat x = draw(Toy::checkerboard, 16000, Seed{1});
  const arma::vec density = log_density(Toy::checkerboard, x);
  CHECK(testing::relative_error(density.min(), -std::log(32)) < 1e-14);
  CHECK(testing::relative_error(density.max(), -std::log(32)) < 1e-14);
  arma::mat moved = x;
  moved.col(0) += 2;
  CHECK(arma::exp(log_density(Toy::checkerboard, moved)).max() == 0);
}

TEST_CASE("curve densities are exact far from the curve, where they underflow") {
  // Far off, the moons look like the end of the upper moon at (−3, −0.2) seen from the left, and so on: compare with a
  // plain sum over a very fine grid of the angle, in logs.
  const double far[][2] = {{-30, 2}, {14, -40}, {0, 25}};
  for (const auto& p : far) {
    double largest = -std::numeric_limits<double>::infinity();
    std::vector<double> terms;
    constexpr int steps = 200000;
    for (int i = 0; i < steps; ++i) {
      const double t = std::numbers::pi * (i + 0.5) / steps;
      for (const double sign : {1.0, -1.0}) {
        const double cx = sign > 0 ? 2 * std::cos(t) - 1 : 1 - 2 * std::cos(t);
        const double cy = sign > 0 ? 2 * std::sin(t) - 0.2 : 0.8 - 2 * std::sin(t);
        const double dx = p[0] - cx;
        const double dy = p[1] - cy;
        terms.push_back(-(dx * dx + dy * dy) / (2 * 0.04) - std::log(2 * std::numbers::pi * 0.04 * 2 * steps));
        largest = std::max(largest, terms.back());
      }
    }
    double sum = 0;
    for (const double term : terms) sum += std::exp(term - largest);
    CHECK(testing::relative_error(log_density(Toy::moons, arma::mat{{p[0], p[1]}})[0], largest + std::log(sum)) < 1e-8);
  }
  for (const Toy toy : {Toy::two_spirals, Toy::moons, Toy::swiss_roll, Toy::rings, Toy::eight_gaussians})
    CHECK(std::isfinite(log_density(toy, arma::mat{{1000, -2000}})[0]));
}

TEST_CASE("every toy is finite, bounded, and fixed by seed and row; densities do not depend on threads") {
  for (const Toy toy : all_toys) {
    CAPTURE(name(toy));
    const arma::mat x = draw(toy, 1000, Seed{3});
    CHECK(x.is_finite());
    CHECK(arma::abs(x).max() < 8);
    CHECK(same_bytes(arma::mat(x.head_rows(10)), draw(toy, 10, Seed{3})));
    CHECK_FALSE(same_bytes(draw(toy, 10, Seed{4}), draw(toy, 10, Seed{3})));
    const arma::vec one = log_density(toy, x, 1);
    CHECK(one.is_finite());
    for (const int threads : {2, 3, 8}) CHECK(same_bytes(log_density(toy, x, threads), one));
  }
  CHECK_THROWS_AS(log_density(Toy::moons, arma::mat(3, 3, arma::fill::zeros)), std::invalid_argument);
}
