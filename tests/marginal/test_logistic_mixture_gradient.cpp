#include <vector>

#include <boost/math/differentiation/autodiff.hpp>
#include <doctest/doctest.h>

#include "gaussianize/marginal/detail/mixture_evaluator.hpp"
#include "gaussianize/marginal/logistic_mixture.hpp"

#include "marginal/mixture_oracle.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace autodiff = boost::math::differentiation;
using Dual = autodiff::autodiff_fvar<long double, 1>;

/// Φ⁻¹ of the smaller tail, whose derivative is 1/φ.
Dual dual_quantile(const Dual& p) {
  const long double z = quantile_of_log<long double>(std::log(p.derivative(0)));
  const long double inverse_density = boost::math::constants::root_two_pi<long double>() * std::exp(z * z / 2);
  return p.apply_derivatives(1, [&](std::size_t order) { return order == 0 ? z : inverse_density; });
}

Dual dual_row_loss(Link link, const std::vector<Dual>& mu, const std::vector<Dual>& log_scale,
                   const std::vector<Dual>& logit, const Dual& x, double z_bar, double log_dzdx_bar) {
  Dual total = 0, lower = 0, upper = 0, density = 0;
  for (std::size_t j = 0; j < mu.size(); ++j) {
    const Dual weight = exp(logit[j]);
    const Dual t = (x - mu[j]) * exp(-log_scale[j]);
    const Dual s = 1 / (1 + exp(-t));
    const Dual c = 1 / (1 + exp(t));
    total += weight;
    lower += weight * s;
    upper += weight * c;
    density += weight * s * c * exp(-log_scale[j]);
  }
  if (link == Link::logit) {
    const long double c = boost::math::constants::root_three<long double>() / boost::math::constants::pi<long double>();
    const Dual z = c * log(lower / upper);
    return static_cast<long double>(z_bar) * z +
           static_cast<long double>(log_dzdx_bar) * (log(density * total) - log(lower) - log(upper));
  }
  const Dual z = lower < upper ? dual_quantile(lower / total) : -dual_quantile(upper / total);
  return static_cast<long double>(z_bar) * z +
         static_cast<long double>(log_dzdx_bar) * (log(density / total) + z * z / 2);
}

/// The derivative of the loss by Boost's automatic differentiation, one entry at a time.
MixtureDerivative autodiff_gradient(const LogisticMixture& mixture, const MixtureLoss& loss) {
  MixtureDerivative result{zeros_like(mixture), arma::zeros(arma::size(loss.x))};
  const std::size_t kernels = mixture.mu.n_rows;
  for (std::size_t d = 0; d < loss.x.n_cols; ++d)
    for (std::size_t which = 0; which < 3 * kernels + 1; ++which) {
      std::vector<Dual> parts[3];
      for (std::size_t j = 0; j < 3 * kernels; ++j) {
        const auto* block = j < kernels ? &mixture.mu : (j < 2 * kernels ? &mixture.log_scale : &mixture.logit);
        const long double value = block->is_empty() ? 0.0 : (*block)(j % kernels, d);
        parts[j / kernels].push_back(j == which ? autodiff::make_fvar<long double, 1>(value) : Dual(value));
      }
      for (std::size_t i = 0; i < loss.x.n_rows; ++i) {
        const long double at = loss.x(i, d);
        const Dual x = which == 3 * kernels ? autodiff::make_fvar<long double, 1>(at) : Dual(at);
        const auto slope = static_cast<double>(
            dual_row_loss(mixture.link, parts[0], parts[1], parts[2], x, loss.bar.z(i, d), loss.bar.log_dzdx(i, d))
                .derivative(1));
        if (which < kernels)
          result.theta.mu(which, d) += slope;
        else if (which < 2 * kernels)
          result.theta.log_scale(which - kernels, d) += slope;
        else if (which == 3 * kernels)
          result.x(i, d) = slope;
        else if (!mixture.logit.is_empty())
          result.theta.logit(which - 2 * kernels, d) += slope;
      }
    }
  return result;
}

}  // namespace

TEST_CASE("backward is the derivative of forward, for every kind of parameter") {
  for (const std::size_t dimension : {1, 2, 7, 43})
    for (const std::size_t kernels : {1, 3, 50})
      for (const int kind : {0, 1, 2, 3}) {
        const bool weighted = kind % 2 == 1;
        CAPTURE(dimension);
        CAPTURE(kernels);
        CAPTURE(kind);
        const std::size_t rows = kernels == 50 ? 3 : 9;
        const LogisticMixture mixture =
            random_mixture(kernels, dimension, weighted, 7 * dimension + kernels, links[kind / 2]);
        const MixtureLoss loss = random_loss(uniform(rows, dimension, -5.0, 5.0, dimension), kernels);
        const MixtureDerivative exact = numeric_gradient<Wide>(mixture, loss, 2e-3L);
        CHECK(gradient_error(library_gradient(mixture, loss), exact) <= 1e-9);
      }
}

TEST_CASE("backward agrees with automatic differentiation") {
  for (const std::size_t kernels : {1, 2, 5})
    for (const int kind : {0, 1, 2, 3}) {
      CAPTURE(kernels);
      CAPTURE(kind);
      const LogisticMixture mixture = random_mixture(kernels, 2, kind % 2 == 1, 40 + kernels, links[kind / 2]);
      const MixtureLoss loss = random_loss(uniform(20, 2, -9.0, 9.0, kernels), 3);
      const MixtureDerivative exact = autodiff_gradient(mixture, loss);
      // The two oracles must agree first, or a mistake in one would be called the library's.
      CHECK(gradient_error(numeric_gradient<Wide>(mixture, loss, 2e-3L), exact) <= 3e-11);
      CHECK(gradient_error(library_gradient(mixture, loss), exact) <= 1e-11);
    }
}

TEST_CASE("a wrong term in any gradient is found") {
  const LogisticMixture mixture = random_mixture(3, 2, true, 5);
  const MixtureLoss loss = random_loss(uniform(6, 2, -3.0, 3.0, 6), 7);
  const MixtureDerivative exact = numeric_gradient<Wide>(mixture, loss, 2e-3L);
  const MixtureDerivative good = library_gradient(mixture, loss);
  REQUIRE(gradient_error(good, exact) <= 1e-11);

  // log dz/dx held fixed in each, as if B were forgotten.
  MixtureLoss no_density = loss;
  no_density.bar.z += no_density.bar.log_dzdx % forward(mixture, loss.x).z;
  no_density.bar.log_dzdx.zeros();
  const MixtureDerivative half = library_gradient(mixture, no_density);
  for (int block = 0; block < 4; ++block) {
    MixtureDerivative planted = good;
    if (block == 0) planted.theta.mu = half.theta.mu;
    if (block == 1) planted.theta.log_scale = half.theta.log_scale;
    if (block == 2) planted.theta.logit = half.theta.logit;
    if (block == 3) planted.x = half.x;
    CHECK(gradient_error(planted, exact) > 1e-3);
  }
  // λ̄ without the −ℓ̄ that log f owes to 1/h; a logit's gradient without softmax; one element off by 1e-6; a NaN.
  MixtureDerivative planted = good;
  planted.theta.log_scale.row(1) += 0.01;
  CHECK(gradient_error(planted, exact) > 1e-3);
  planted = good;
  planted.theta.logit.row(0) += arma::sum(loss.bar.log_dzdx) / 3.0;
  CHECK(gradient_error(planted, exact) > 1e-3);
  planted = good;
  planted.theta.mu(2, 1) *= 1.0 + 1e-6;
  CHECK(gradient_error(planted, exact) > 1e-7);
  planted.theta.mu(2, 1) = std::nan("");
  CHECK(gradient_error(planted, exact) > 1e-7);
}

TEST_CASE("backward adds to the gradient") {
  const LogisticMixture mixture = random_mixture(4, 3, true, 9);
  const MixtureLoss loss = random_loss(uniform(10, 3, -3.0, 3.0, 6), 7);
  const MixtureDerivative once = library_gradient(mixture, loss);
  LogisticMixture grad = once.theta;
  backward(mixture, loss.x, forward(mixture, loss.x), loss.bar, grad);
  CHECK(arma::approx_equal(grad.mu, 2.0 * once.theta.mu, "reldiff", 1e-14));
  CHECK(arma::approx_equal(grad.log_scale, 2.0 * once.theta.log_scale, "reldiff", 1e-14));
  CHECK(arma::approx_equal(grad.logit, 2.0 * once.theta.logit, "reldiff", 1e-14));
}

TEST_CASE("equal logits are equal weights, and a constant added to logits changes nothing") {
  const LogisticMixture equal = random_mixture(6, 2, false, 11);
  LogisticMixture weighted = equal;
  weighted.logit.set_size(6, 2);
  weighted.logit.fill(-3.0);
  const MixtureLoss loss = random_loss(uniform(30, 2, -4.0, 4.0, 6), 7);
  const MixtureDerivative a = library_gradient(equal, loss);
  const MixtureDerivative b = library_gradient(weighted, loss);
  CHECK(gradient_error(b.theta.mu, a.theta.mu) <= 1e-13);
  CHECK(gradient_error(b.theta.log_scale, a.theta.log_scale) <= 1e-13);
  CHECK(gradient_error(b.x, a.x) <= 1e-13);
  CHECK(a.theta.logit.is_empty());
  CHECK(arma::abs(arma::sum(b.theta.logit)).max() <= 1e-13);
}
