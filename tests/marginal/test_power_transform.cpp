#include <cmath>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/marginal/detail/power_transform.hpp"
#include "gaussianize/math/normal.hpp"

#include "marginal/columns.hpp"
#include "marginal/splines.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

arma::mat as_column(const std::vector<double>& values) {
  return arma::vec(values);
}

SplineMarginal fit_one(const arma::mat& x, double zero = 0) {
  return fit_power_kde(x, arma::rowvec{zero}, 1e-3, {.bandwidth = BandwidthRule::likelihood, .threads = 1});
}

double mean_log_density(const MonotoneSpline& spline, const arma::mat& x) {
  double sum = 0;
  for (const double value : x) sum += std::log(density_at(spline, value));
  return sum / static_cast<double>(x.n_elem);
}

/// The same density in the space of x, for a spline that was made for x³.
double mean_log_density_of_cubes(const MonotoneSpline& spline, const arma::mat& x) {
  double sum = 0;
  for (const double value : x) sum += std::log(density_at(spline, value * value * value) * 3 * value * value);
  return sum / static_cast<double>(x.n_elem);
}

}  // namespace

TEST_CASE("a power transform is increasing, smooth and undone by its inverse") {
  const PowerTransform transform{{0.3, 1.0 / 3, 1e-6}, {-0.5, 0.0, 0.01}, {1.0, 0.6, 2.0}};
  for (const double x : {-1e6, -20.0, -0.5, 0.2999, 0.3, 0.300001, 0.31, 4.0, 1e3, 1e9}) {
    const TransformedValue at = transform_value(transform, x);
    CHECK(relative_error(inverse_transform_value(transform, at.value), x) < 1e-13);
    const double step = 1e-5 * (std::abs(x - 0.3) + 1e-6);
    const TransformedValue left = transform_value(transform, x - step);
    const TransformedValue right = transform_value(transform, x + step);
    CHECK(left.value < at.value);
    CHECK(at.value < right.value);
    CHECK(relative_error((right.value - left.value) / (2 * step), at.slope) < 1e-5);
    if (x != 0.3)
      CHECK(relative_error(std::log(right.slope / left.slope) / (2 * step), at.log_slope_derivative) < 1e-6);
  }
  CHECK(transform_value({}, 1.5).value == 1.5);
  CHECK(transform_value({{2.0, 1.0, 1.0}}, 1.5).value == -0.5);
}

TEST_CASE("columns that a kernel describes well stay on the ground") {
  const std::vector<double> normal = normal_column(3000, 5);
  CHECK(choose_power_transform(normal.data(), normal.size(), 0.0).empty());
  const std::vector<double> uniform = uniform_column(3000, 6);
  CHECK(choose_power_transform(uniform.data(), uniform.size(), 0.0).empty());
}

TEST_CASE("rows that lie on a value many times over do not become a pole") {
  std::vector<double> inflated = normal_column(2000, 7);
  for (std::size_t i = 0; i < inflated.size(); i += 3) inflated[i] = 0;
  for (const PowerStep& step : choose_power_transform(inflated.data(), inflated.size(), 0.0)) CHECK(step.pole != 0.0);
}

TEST_CASE("a cube is undone by a cube root about zero") {
  std::vector<double> cubes = normal_column(3000, 5);
  for (double& value : cubes) value = value * value * value;
  const PowerTransform transform = choose_power_transform(cubes.data(), cubes.size(), 0.0);
  REQUIRE(!transform.empty());
  CHECK(std::abs(transform[0].pole) < 1e-6);
  CHECK(transform[0].power < 0.5);
}

TEST_CASE("cubing a column, or changing its unit, hardly changes its density") {
  const arma::mat x = as_column(normal_column(3000, 8));
  const arma::mat fresh = as_column(normal_column(5000, 9));
  const double plain = mean_log_density(fit_one(x).columns[0], fresh);
  const arma::mat cubes = x % x % x;
  const double cubed = mean_log_density_of_cubes(fit_one(cubes).columns[0], fresh);
  CHECK(std::abs(plain - cubed) < 0.01);
  // Without power transforms the spike of x³ at 0 is blurred.
  const double blurred =
      mean_log_density_of_cubes(fit_kde(cubes, {.bandwidth = BandwidthRule::likelihood}).columns[0], fresh);
  CHECK(blurred < plain - 0.1);
  const double moved = mean_log_density(fit_one(1000 * x + 51, 51).columns[0], 1000 * fresh + 51) + std::log(1000.0);
  CHECK(relative_error(moved, plain) < 1e-13);
}

TEST_CASE("a composed spline is increasing, invertible and integrates to one") {
  std::vector<double> values = exponential_column(2000, 10);
  for (double& value : values) value = value * value * value;
  const arma::mat x = as_column(values);
  const MonotoneSpline spline = fit_one(x).columns[0];
  REQUIRE(spline.segments.size() > 10);  // composed
  // In steps that follow the density: by the map's own quantiles the integral is a telescoping sum of Φ, so the density
  // is summed over a fine geometric grid instead.
  double mass = 0;
  double last = 0;
  for (double z = -8; z <= 8; z += 1e-3) {
    const double left = inverse_at(spline, z);
    const double right = inverse_at(spline, z + 1e-3);
    const double middle = density_at(spline, 0.5 * (left + right));
    mass += (right - left) / 6 * (density_at(spline, left) + 4 * middle + density_at(spline, right));
    CHECK(right > left);
    last = right;
  }
  CHECK(relative_error(mass, 1) < 1e-7);
  for (const double place : {-1e12, -3.0, 0.0, 1e-9, 0.5, last, 1e3, 1e12}) {
    const double z = value_at(spline, place);
    CHECK(std::isfinite(z));
    CHECK(std::isfinite(std::log(slope_at(spline, place))));
    CHECK(std::abs(inverse_at(spline, z) - place) <= 1e-9 * (1 + std::abs(place)));
  }
}

TEST_CASE("rounded values do not narrow the kernels onto themselves") {
  const arma::mat x = as_column(normal_column(2000, 11));
  const arma::mat fresh = as_column(normal_column(2000, 12));
  const arma::mat rounded = arma::round(5 * x) / 5;
  const double exact = mean_log_density(fit_one(x).columns[0], fresh);
  // As good a density of the numbers before they were rounded, and no better a one of those after.
  const MonotoneSpline spline = fit_one(rounded).columns[0];
  CHECK(std::abs(mean_log_density(spline, fresh) - exact) < 0.02);
  CHECK(std::abs(mean_log_density(spline, arma::round(5 * fresh) / 5) - exact) < 0.02);
}
