#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/marginal/detail/mixture_log_domain.hpp"
#include "gaussianize/marginal/logistic_mixture.hpp"
#include "gaussianize/math/normal.hpp"

#include "marginal/mixture_oracle.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

/// Rows on both sides of a mixture whose nearest kernel has bandwidth h: `far` bandwidths beyond ±2.
arma::mat both_sides(const std::vector<double>& far, double h) {
  arma::mat x(2 * far.size(), 1);
  for (std::size_t i = 0; i < far.size(); ++i) {
    x(2 * i, 0) = -2.0 - h * far[i];
    x(2 * i + 1, 0) = 2.0 + h * far[i];
  }
  return x;
}

/// The derivative in fifty digits, where a step of 1e-12 leaves nothing of the truncation and half the digits.
MixtureDerivative exact_gradient(const LogisticMixture& mixture, const MixtureLoss& loss) {
  return numeric_gradient<Fifty>(mixture, loss, Fifty(1) / 1000000000000);
}

struct PassErrors {
  double z = 0.0, log_dzdx = 0.0;
};

PassErrors pass_errors(const LogisticMixture& mixture, const arma::mat& x) {
  const MarginalPass pass = forward(mixture, x);
  PassErrors worst;
  for (std::size_t d = 0; d < x.n_cols; ++d) {
    const MixtureColumn<Fifty> column(mixture, d);
    for (std::size_t i = 0; i < x.n_rows; ++i) {
      const MixturePoint<Fifty> exact = mixture_point<Fifty>(column, x(i, d));
      const double z = static_cast<double>(exact.z);
      worst.z = std::max(worst.z, static_cast<double>(abs(pass.z(i, d) - exact.z)) / std::max(1.0, std::abs(z)));
      worst.log_dzdx =
          std::max(worst.log_dzdx, static_cast<double>(abs(pass.log_dzdx(i, d) - exact.log_dzdx)) / (1.0 + z * z));
      REQUIRE(std::isfinite(pass.z(i, d)));
      REQUIRE(std::isfinite(pass.log_dzdx(i, d)));
    }
  }
  return worst;
}

const std::vector<double> distances{0.0,   1.0,   10.0,  100.0, 500.0, 600.0, 620.0, 640.0, 660.0,
                                    680.0, 688.0, 689.5, 690.0, 691.0, 692.0, 695.0, 700.0, 710.0,
                                    720.0, 740.0, 750.0, 800.0, 1e3,   1e4,   1e5,   1e6};

}  // namespace

TEST_CASE("z and log dz/dx are right in both tails, however far") {
  for (const std::size_t kernels : {1, 3, 20})
    for (const Link link : links) {
      const LogisticMixture mixture = random_mixture(kernels, 1, true, kernels, link);
      const PassErrors errors = pass_errors(mixture, both_sides(distances, std::exp(mixture.log_scale.max())));
      CHECK(errors.z <= 1e-14);
      CHECK(errors.log_dzdx <= 1e-14);
    }
}

TEST_CASE("gradients are right in both tails, |z| to 38 and kernels 800 and a million bandwidths away") {
  for (const std::size_t kernels : {1, 3})
    for (const Link link : links) {
      const LogisticMixture mixture = random_mixture(kernels, 1, true, kernels, link);
      const arma::mat x = both_sides(distances, std::exp(mixture.log_scale.max()));
      for (std::size_t i = 0; i < x.n_rows; ++i) {
        // Each row alone, or those near would hide those far.
        const MixtureLoss loss = random_loss(x.row(i), i);
        CAPTURE(x[i]);
        CHECK(gradient_error(library_gradient(mixture, loss), exact_gradient(mixture, loss)) <= 1e-11);
      }
    }
}

TEST_CASE("gradients are right between narrow kernels, where the density is no double") {
  // 2000 bandwidths from either kernel f is e⁻²⁰⁰⁰; at ±0.5 one kernel is much nearer than the other.
  LogisticMixture mixture{arma::mat{-2.0, 2.0}.t(), arma::mat{-6.9, -6.7}.t(), arma::mat{0.2, -0.3}.t()};
  for (const double x : {-0.5, 0.0, 0.13, 0.5}) {
    mixture.link = mixture.link == Link::probit ? Link::logit : Link::probit;
    const MixtureLoss loss = random_loss(arma::mat{x}, 3);
    CAPTURE(x);
    CHECK(gradient_error(library_gradient(mixture, loss), exact_gradient(mixture, loss)) <= 1e-11);
    const PassErrors errors = pass_errors(mixture, loss.x);
    CHECK(errors.z <= 1e-14);
    CHECK(errors.log_dzdx <= 1e-12);  // t itself is rounded, by 1e-13
  }
}

TEST_CASE("a kernel of next to no weight is right where only it reaches") {
  // e⁻³⁰⁰ of the weight, but a bandwidth a hundred times larger: it alone makes the tails.
  LogisticMixture mixture{arma::mat{0.0, 0.5}.t(), arma::mat{0.0, 4.6}.t(), arma::mat{0.0, -300.0}.t()};
  for (const Link link : links)
    for (const double x : {-900.0, -300.0, -280.0, 10.0, 320.0, 5000.0}) {
      mixture.link = link;
      const MixtureLoss loss = random_loss(arma::mat{x}, 3);
      CAPTURE(x);
      CHECK(gradient_error(library_gradient(mixture, loss), exact_gradient(mixture, loss)) <= 1e-10);
    }
}

TEST_CASE("the fast and the slow path agree where both are right") {
  LogisticMixture mixture = random_mixture(10, 1, true, 21);
  for (const double x :
       {-60.0, -60.0, -12.0, -12.0, -3.0, -3.0, -0.4, -0.4, 0.0, 0.9, 2.5, 2.5, 7.0, 7.0, 70.0, 70.0}) {
    CAPTURE(x);
    mixture.link = mixture.link == Link::probit ? Link::logit : Link::probit;
    const MixtureEvaluator evaluator = make_evaluator(mixture);
    const MixtureLoss loss = random_loss(arma::mat{x}, 5);
    const MarginalPass pass = forward(mixture, loss.x);
    const TailPoint slow = tail_point(evaluator, 0, x);
    CHECK(std::abs(slow.z - pass.z[0]) <= 2e-15 * (1.0 + std::abs(slow.z)));
    CHECK(std::abs(slow.log_dzdx - pass.log_dzdx[0]) <= 4e-15 * (1.0 + slow.z * slow.z));
    const MixtureDerivative fast = library_gradient(mixture, loss);
    arma::mat sums(10, 3, arma::fill::zeros);
    const double x_bar = tail_backward(evaluator, 0, x, loss.bar.z[0], loss.bar.log_dzdx[0],
                                       {sums.colptr(0), sums.colptr(1), sums.colptr(2)});
    CHECK(std::abs(x_bar - fast.x[0]) <= 1e-12 * std::abs(x_bar));
    CHECK(gradient_error(arma::vec(-sums.col(0)), fast.theta.mu) <= 1e-11);
    CHECK(gradient_error(arma::vec(-sums.col(1)), fast.theta.log_scale) <= 1e-11);
    CHECK(gradient_error(arma::vec(sums.col(2) - evaluator.weight.col(0) * arma::accu(sums.col(2))),
                         fast.theta.logit) <= 1e-11);
  }
}
