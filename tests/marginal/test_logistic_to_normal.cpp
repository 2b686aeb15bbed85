#include <cmath>
#include <limits>

#include <armadillo>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <doctest/doctest.h>

#include "gaussianize/marginal/logistic_to_normal.hpp"
#include "gaussianize/math/normal.hpp"

#include "marginal/mixture_oracle.hpp"
#include "support/laws.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::testing;

constexpr double joint = 19.303919634296016;  // u*

struct Value {
  double z, log_slope;
};

Value at(double u) {
  arma::mat x{u};
  arma::vec log_det(1, arma::fill::zeros);
  forward(LogisticToNormal{1}, x, log_det);
  return {x[0], log_det[0]};
}

double back(double z) {
  arma::mat x{z};
  inverse(LogisticToNormal{1}, x);
  return x[0];
}

/// ½z² − log dz/du of one value, and its derivative as the library has it.
Value loss(double u) {
  arma::mat u_bar;
  const double sum = logistic_base_loss(arma::mat{u}, u_bar);
  return {sum, u_bar[0]};
}

}  // namespace

TEST_CASE("inside it is the normal quantile of the logistic distribution function") {
  const Fifty c = boost::math::constants::root_three<Fifty>() / boost::math::constants::pi<Fifty>();
  for (const double u : {-19.3, -9.0, -2.5, -0.7, -1e-3, 0.0, 1e-9, 0.4, 1.0, 3.0, 15.0}) {
    CAPTURE(u);
    const Fifty t = abs(Fifty(u)) / c;
    const Fifty log_tail = -t - log(1 + exp(-t));
    const auto z = static_cast<double>(quantile_of_log<Fifty>(log_tail));
    CHECK(std::abs(std::abs(at(u).z) - std::abs(z)) <= 1e-14);
    CHECK(std::signbit(at(u).z) == std::signbit(u));
  }
}

TEST_CASE("the joint is at z = 8, and value and slope go on there") {
  CHECK(std::abs(at(joint).z - 8) <= 1e-13);
  const double next = std::nextafter(joint, 100.0);
  CHECK(std::abs(at(next).z - at(joint).z) <= 1e-13);
  CHECK(std::abs(at(next).log_slope - at(joint).log_slope) <= 2e-13);
}

TEST_CASE("the log slope is that of the map, which increases everywhere and is straight far out") {
  for (const double u : {-1e4, -60.0, -19.5, -19.1, -8.0, -1.0, 0.0, 2.0, 6.0, 19.0, 20.0, 30.0, 1e3, 1e6}) {
    CAPTURE(u);
    const double step = 1e-3 * (1 + std::abs(u));
    const double slope = numeric_derivative([](double v) { return at(v).z; }, u, std::min(step, 0.02));
    CHECK(relative_error(std::exp(at(u).log_slope), slope) <= (std::abs(u) > 1e5 ? 1e-7 : 1e-9));
  }
  CHECK(increasing([](double u) { return at(u).z; }, even_grid(-40.0, 40.0, 20'000)));
  CHECK(std::abs(std::exp(at(1e6).log_slope) - 1) <= 1e-8);
  CHECK(relative_error(at(2e9).z - at(1e9).z, 1e9) <= 1e-12);
  CHECK(std::abs(at(-1e7).log_slope) <= 1e-9);
  CHECK(std::isfinite(at(1e300).z));
}

TEST_CASE("the inverse undoes it, to the ends of the doubles") {
  for (const double u : {0.0, 1e-12, 0.3, 2.0, 9.0, 19.3, 19.31, 25.0, 40.0, 1e3, 1e8, 1e150, 1e300})
    for (const double sign : {-1.0, 1.0}) {
      CAPTURE(sign * u);
      CHECK(std::abs(back(at(sign * u).z) - sign * u) <= 1e-13 * (1e-2 + u));
    }
  for (const double z : {-37.0, -8.001, -7.999, -3.3, -1.0, 0.0, 0.2, 5.0, 8.5, 1e3, 1e7})
    CHECK(std::abs(at(back(z)).z - z) <= 4e-15 * (1 + std::abs(z)));
}

TEST_CASE("the loss of the base is that of the map, and its derivative is the slope") {
  for (const double u : {-900.0, -20.0, -19.2, -4.0, -0.3, 0.1, 1.0, 7.0, 19.2, 19.4, 35.0, 1e3}) {
    CAPTURE(u);
    const Value here = at(u);
    CHECK(relative_error(loss(u).z, 0.5 * here.z * here.z - here.log_slope) <= 1e-13);
    const double slope = numeric_derivative([](double v) { return loss(v).z; }, u, 0.01);
    CHECK(relative_error(loss(u).log_slope, slope) <= 1e-9);
  }
}

TEST_CASE("the base density integrates to one, and inside it is the logistic one") {
  const auto density = [](double u) { return std::exp(-loss(u).z - 0.5 * std::log(2 * arma::datum::pi)); };
  // In pieces: its second derivative jumps at the joint.
  double mass = 0;
  for (const auto& [from, to] : {std::pair(0.0, joint), std::pair(joint, 80.0)})
    for (int i = 0; i < 200; ++i)
      mass += 2 * boost::math::quadrature::gauss<double, 10>::integrate(density, std::lerp(from, to, i / 200.0),
                                                                        std::lerp(from, to, (i + 1) / 200.0));
  CHECK(std::abs(mass - 1) <= 1e-12);
  const double c = std::sqrt(3.0) / arma::datum::pi;
  for (const double u : {-3.0, -0.5, 0.0, 1.0, 4.0})
    CHECK(relative_error(density(u), 1 / (4 * c * std::pow(std::cosh(u / (2 * c)), 2))) <= 1e-13);
}

TEST_CASE("a block is mapped as its entries are, and what is not finite stays so") {
  arma::mat x = uniform(700, 3, -9.0, 9.0, 4);
  const arma::mat before = x;
  arma::vec log_det(700, arma::fill::value(0.25));
  forward(LogisticToNormal{3}, x, log_det);
  for (const arma::uword i : {0U, 255U, 256U, 511U, 699U}) {
    double sum = 0.25;
    for (arma::uword d = 0; d < 3; ++d) {
      CHECK(x(i, d) == at(before(i, d)).z);
      sum += at(before(i, d)).log_slope;
    }
    CHECK(std::abs(log_det[i] - sum) <= 1e-14);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(std::isnan(at(std::nan("")).z));
  CHECK_FALSE(std::isfinite(at(infinity).z));
  CHECK(back(-infinity) == -infinity);
}
