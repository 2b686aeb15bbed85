#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/marginal/detail/mixture_evaluator.hpp"
#include "gaussianize/marginal/logistic_mixture.hpp"
#include "gaussianize/math/normal.hpp"

#include "marginal/mixture_oracle.hpp"
#include "support/bytes.hpp"
#include "support/laws.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

struct Value {
  double z, log_dzdx;
};

Value at(const LogisticMixture& mixture, double x) {
  const MarginalPass pass = forward(mixture, arma::mat{x});
  return {pass.z[0], pass.log_dzdx[0]};
}

LogisticMixture one_column(std::vector<double> mu, std::vector<double> log_scale, std::vector<double> logit = {}) {
  return {arma::vec(mu), arma::vec(log_scale), logit.empty() ? arma::mat() : arma::mat(arma::vec(logit))};
}

}  // namespace

TEST_CASE("forward agrees with the definition in extended precision") {
  for (const std::size_t kernels : {1, 3, 50})
    for (const bool is_logit : {false, true}) {
      const bool weighted = is_logit || kernels != 3;
      CAPTURE(kernels);
      CAPTURE(is_logit);
      const LogisticMixture mixture =
          random_mixture(kernels, 3, weighted, kernels, is_logit ? Link::logit : Link::probit);
      const arma::mat x = uniform(300, 3, -20.0, 20.0, kernels);
      const MarginalPass pass = forward(mixture, x);
      double worst_z = 0.0;
      double worst_log = 0.0;
      for (std::size_t d = 0; d < 3; ++d) {
        const MixtureColumn<Wide> column(mixture, d);
        for (std::size_t i = 0; i < x.n_rows; ++i) {
          const MixturePoint<Wide> exact = mixture_point<Wide>(column, x(i, d));
          const Wide size = std::max<Wide>(1, std::abs(exact.z));
          worst_z = std::max(worst_z, static_cast<double>(std::abs(pass.z(i, d) - exact.z) / size));
          worst_log = std::max(worst_log,
                               static_cast<double>(std::abs(pass.log_dzdx(i, d) - exact.log_dzdx) / (1 + size * size)));
        }
      }
      CHECK(worst_z <= 1e-14);
      CHECK(worst_log <= 1e-14);
    }
}

TEST_CASE("forward maps in place and adds the log derivative of every dimension") {
  const LogisticMixture mixture = random_mixture(5, 3, true, 2);
  const arma::mat x = uniform(40, 3, -3.0, 3.0, 3);
  const MarginalPass pass = forward(mixture, x);
  arma::mat z = x;
  arma::vec log_det(40, arma::fill::value(0.5));
  forward(mixture, z, log_det);
  CHECK(same_bytes(z, pass.z));
  CHECK(arma::abs(log_det - 0.5 - arma::sum(pass.log_dzdx, 1)).max() <= 1e-14);
}

TEST_CASE("log dz/dx is the slope of z") {
  LogisticMixture mixture = one_column({-1.0, 0.5, 2.0}, {-0.5, -1.0, 0.3}, {0.2, -0.4, 0.0});
  for (const Link link : links)
    for (const double x : {-1500.0, -950.0, -100.0, -8.0, -1.0, 0.0, 0.4, 1.0, 3.0, 30.0, 940.0, 1400.0}) {
      CAPTURE(x);
      mixture.link = link;
      const double step = std::abs(x) < 10.0 ? 0.01 : (std::abs(x) < 500.0 ? 0.2 : 1.0);
      const double slope = numeric_derivative([&](double v) { return at(mixture, v).z; }, x, step);
      CHECK(relative_error(std::exp(at(mixture, x).log_dzdx), slope) <= 1e-10);
    }
}

TEST_CASE("a logit is straight far out: its slope is c/h of the widest kernel") {
  LogisticMixture mixture = one_column({-1.0, 0.5, 2.0}, {-0.5, -1.0, 0.3}, {0.2, -0.4, 0.0});
  mixture.link = Link::logit;
  const double slope = logit_scale / std::exp(0.3);
  for (const double far : {60.0, 1e3, 1e6, 1e12})
    for (const double side : {-1.0, 1.0}) {
      CAPTURE(side * far);
      CHECK(relative_error(std::exp(at(mixture, side * far).log_dzdx), slope) <= 1e-12);
      CHECK(relative_error(at(mixture, side * 2 * far).z - at(mixture, side * far).z, side * far * slope) <= 1e-12);
    }
}

TEST_CASE("one kernel of bandwidth c at 0 makes the logit the identity") {
  LogisticMixture mixture = one_column({0.0}, {std::log(logit_scale)});
  mixture.link = Link::logit;
  for (const double x : {-1e6, -300.0, -3.0, -1e-3, 0.0, 0.2, 40.0, 1e9}) {
    CHECK(std::abs(at(mixture, x).z - x) <= 1e-14 * (1 + std::abs(x)));
    CHECK(std::abs(at(mixture, x).log_dzdx) <= 1e-14 * (1 + std::abs(x) / 1e3));
  }
}

TEST_CASE("the density integrates to one") {
  for (const LogisticMixture& mixture :
       {one_column({0.3}, {-0.2}), one_column({-2.0, 1.0, 1.5}, {-1.0, -2.0, 0.5}, {1.0, 0.0, -1.0}),
        one_column({-4.0, 4.0}, {-1.5, 0.0}, {0.0, -12.0})}) {
    const auto density = [&](double x) {
      const Value v = at(mixture, x);
      return std::exp(log_normal_pdf(v.z) + v.log_dzdx);
    };
    CHECK(integrates_to_one(density, even_grid(-12.0, 12.0, 400), 1.0, 1e-9));
  }
}

TEST_CASE("every tail holds the mass that z says, across the change to logarithms") {
  // Mass relative to Φ(−|z|): the integral of the density beyond x, over that at x.
  const LogisticMixture mixture = one_column({-1.0, 0.0, 1.0}, {0.0, -0.3, 0.2});
  for (const double side : {-1.0, 1.0})
    for (const double far : {3.0, 40.0, 400.0, 680.0, 840.0, 845.0, 850.0, 2000.0}) {
      const Value v = at(mixture, side * far);
      CAPTURE(v.z);
      const auto relative_density = [&](double x) {
        const Value w = at(mixture, side * x);
        // log φ(w) − log φ(v) without the cancellation of two squares.
        return std::exp(-0.5 * (std::abs(w.z) - std::abs(v.z)) * (std::abs(w.z) + std::abs(v.z)) + w.log_dzdx);
      };
      double mass = 0.0;
      for (double x = far; x < far + 60.0; x += 0.5)
        mass += boost::math::quadrature::gauss<double, 10>::integrate(relative_density, x, x + 0.5);
      // Φ(−|z|)/φ(z) is Mills' ratio; what lies beyond 60 is e⁻⁵⁰ of it.
      CHECK(relative_error(mass, std::exp(log_mills_ratio(std::abs(v.z)))) <= 1e-9);
    }
}

TEST_CASE("z increases strictly through the bulk, the tails and the change to logarithms") {
  LogisticMixture mixture = one_column({-1.0, 0.0, 1.0}, {0.0, -0.3, 0.2});
  for (const Link link : links) {
    mixture.link = link;
    const auto z = [&](double x) { return at(mixture, x).z; };
    CHECK(increasing(z, even_grid(-10.0, 10.0, 5000)));
    CHECK(increasing(z, even_grid(-1000.0, -600.0, 5000)));
    CHECK(increasing(z, even_grid(600.0, 1000.0, 5000)));
  }
}

TEST_CASE("wild parameters give no NaN and no infinity") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const std::size_t kernels = 1 + seed % 6;
    LogisticMixture mixture = random_mixture(kernels, 2, seed % 2 == 0, seed, links[seed / 2 % 2]);
    mixture.log_scale = uniform(kernels, 2, -20.0, 20.0, seed);
    mixture.mu *= std::pow(10.0, static_cast<double>(seed % 5) - 2.0);
    mixture.logit *= 40.0;
    arma::mat x = uniform(60, 2, -1.0, 1.0, seed + 7);
    for (double& v : x) v = std::copysign(std::pow(10.0, 18.0 * std::abs(v) - 9.0), v);
    x.row(0).zeros();
    x.row(1) = mixture.mu.row(0);
    const MixtureLoss loss = random_loss(x, seed);
    const MarginalPass pass = forward(mixture, x);
    const MixtureDerivative gradient = library_gradient(mixture, loss);
    CHECK(pass.z.is_finite());
    CHECK(pass.log_dzdx.is_finite());
    CHECK(gradient.x.is_finite());
    CHECK(gradient.theta.mu.is_finite());
    CHECK(gradient.theta.log_scale.is_finite());
    CHECK(gradient.theta.logit.is_finite());
  }
}

TEST_CASE("rows that are not finite stay so and harm no other") {
  const double infinity = std::numeric_limits<double>::infinity();
  const LogisticMixture mixture = random_mixture(4, 1, true, 3);
  const MarginalPass pass = forward(mixture, arma::mat{-infinity, 0.5, std::nan(""), infinity}.t());
  CHECK(pass.z[0] == -infinity);
  CHECK(pass.z[3] == infinity);
  CHECK(pass.log_dzdx[0] == -infinity);
  CHECK(std::isnan(pass.z[2]));
  CHECK(pass.z[1] == at(mixture, 0.5).z);
}

TEST_CASE("a row of a pass does not depend on the rows around it") {
  const LogisticMixture mixture = random_mixture(20, 2, true, 4);
  arma::mat x = uniform(700, 2, -5.0, 5.0, 5);
  x(3, 0) = 1e4;
  x(300, 1) = -5e5;
  const MixtureLoss loss = random_loss(x, 6);
  const MarginalPass all = forward(mixture, x);
  const arma::mat x_bar = library_gradient(mixture, loss).x;
  for (const std::size_t begin : {0, 1, 3, 255, 300, 640}) {
    const std::size_t end = std::min<std::size_t>(699, begin + 60);
    const MixtureLoss part{x.rows(begin, end), {loss.bar.z.rows(begin, end), loss.bar.log_dzdx.rows(begin, end)}};
    const MarginalPass pass = forward(mixture, part.x);
    CHECK(same_bytes(pass.z, arma::mat(all.z.rows(begin, end))));
    CHECK(same_bytes(pass.log_dzdx, arma::mat(all.log_dzdx.rows(begin, end))));
    CHECK(same_bytes(library_gradient(mixture, part).x, arma::mat(x_bar.rows(begin, end))));
  }
}

TEST_CASE("blocks work in place of whole matrices, with any stride") {
  const LogisticMixture mixture = random_mixture(7, 3, true, 4);
  const MixtureEvaluator evaluator = make_evaluator(mixture);
  const arma::mat x = uniform(300, 3, -4.0, 4.0, 5);
  const MarginalPass whole = forward(mixture, x);
  const MixtureLoss loss = random_loss(x, 6);
  MarginalPass pass{arma::zeros(300, 3), arma::zeros(300, 3)};
  arma::mat x_bar(300, 3);
  std::vector<double> scratch(backward_scratch(evaluator));
  LogisticMixture sum = zeros_like(mixture);
  const auto rows = [](const arma::mat& m, std::size_t begin) { return ConstBlock{m.memptr() + begin, m.n_rows}; };
  const auto to = [](arma::mat& m, std::size_t begin) { return Block{m.memptr() + begin, m.n_rows}; };
  for (const std::size_t begin : {0, 100, 200}) {
    forward_block(evaluator, rows(x, begin), to(pass.z, begin), to(pass.log_dzdx, begin), 100);
    backward_block(evaluator,
                   {rows(x, begin), rows(pass.z, begin), rows(pass.log_dzdx, begin), rows(loss.bar.z, begin),
                    rows(loss.bar.log_dzdx, begin)},
                   to(x_bar, begin), {sum.mu.memptr(), sum.log_scale.memptr(), sum.logit.memptr()}, scratch.data(),
                   100);
  }
  CHECK(same_bytes(pass.z, whole.z));
  CHECK(same_bytes(pass.log_dzdx, whole.log_dzdx));
  const MixtureDerivative gradient = library_gradient(mixture, loss);
  CHECK(same_bytes(x_bar, gradient.x));
  CHECK(gradient_error(sum.mu, gradient.theta.mu) <= 1e-12);
  CHECK(gradient_error(sum.log_scale, gradient.theta.log_scale) <= 1e-12);
  CHECK(gradient_error(sum.logit, gradient.theta.logit) <= 1e-12);
}

TEST_CASE("shapes that disagree are refused with what to do") {
  const LogisticMixture good = random_mixture(3, 2, true, 1);
  const arma::mat x(4, 2, arma::fill::zeros);
  const MarginalPass pass = forward(good, x);
  LogisticMixture grad = zeros_like(good);
  LogisticMixture bad = good;
  bad.log_scale.set_size(2, 2);
  CHECK_THROWS_AS(forward(bad, x), std::invalid_argument);
  bad = good;
  bad.logit.set_size(3, 1);
  CHECK_THROWS_AS(check(bad), std::invalid_argument);
  CHECK_THROWS_AS(check(LogisticMixture{}), std::invalid_argument);
  CHECK_THROWS_AS(forward(good, arma::mat(4, 3)), std::invalid_argument);
  arma::mat wide(4, 3);
  CHECK_THROWS_AS(inverse(good, wide), std::invalid_argument);
  arma::mat z = x;
  arma::vec short_log_det(3);
  CHECK_THROWS_AS(forward(good, z, short_log_det), std::invalid_argument);
  CHECK_THROWS_AS(backward(good, x, pass, {arma::mat(4, 2), arma::mat(3, 2)}, grad), std::invalid_argument);
  grad.logit.reset();
  CHECK_THROWS_WITH_AS(backward(good, x, pass, pass, grad), "backward: the gradient of logit is 0×0; it must be 3×2",
                       std::invalid_argument);
}
