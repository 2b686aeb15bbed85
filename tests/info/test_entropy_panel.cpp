#include <cmath>

#include <armadillo>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <doctest/doctest.h>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/info/entropy.hpp"

#include "info/panel.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

/// −∫ f log f, from the right and, where the distribution reaches there, from the left of 0.
double integrated_entropy(const PanelDistribution& distribution, bool unit_interval, bool both_sides) {
  const auto term = [&](double x) {
    const double log_f = distribution.log_density(x);
    return log_f > -700 ? -std::exp(log_f) * log_f : 0.0;
  };
  if (unit_interval) {
    boost::math::quadrature::tanh_sinh<double> rule;
    return rule.integrate(term, 0.0, 1.0);
  }
  boost::math::quadrature::tanh_sinh<double> inner;
  boost::math::quadrature::exp_sinh<double> tail;
  const auto side = [&](double sign) {
    return inner.integrate([&](double x) { return term(sign * x); }, 0.0, 4.0) +
           tail.integrate([&](double x) { return term(sign * (4 + x)); }, 0.0, HUGE_VAL);
  };
  return side(1) + (both_sides ? side(-1) : 0.0);
}

struct Trials {
  arma::vec error, standard_error, excess;  ///< excess: over the entropy that the sample itself shows
};

Trials trials(const PanelDistribution& distribution, EntropyMethod method, std::size_t n, std::size_t count) {
  Trials t{arma::vec(count), arma::vec(count), arma::vec(count)};
  parallel_for(count, 0, [&](std::size_t i) {
    const arma::vec x = draw(distribution, n, 1000 * n + i);
    const Estimate estimate = entropy(x, method);
    t.error[i] = estimate.value - distribution.entropy;
    t.standard_error[i] = estimate.standard_error;
    t.excess[i] = estimate.value - sample_entropy(distribution, x);
  });
  return t;
}

double coverage(const Trials& t) {
  return arma::mean(arma::conv_to<arma::vec>::from(arma::abs(t.error) < 1.96 * t.standard_error));
}

}  // namespace

TEST_CASE("the panel's entropies are those of its densities") {
  for (const PanelDistribution& distribution : panel) {
    CAPTURE(distribution.name);
    const std::string name = distribution.name;
    const bool unit = name == "uniform" || name.starts_with("Beta");
    CHECK(std::abs(integrated_entropy(distribution, unit, name != "exponential") - distribution.entropy) < 1e-6);
  }
}

TEST_CASE("the entropies of the distributions that no constant was chosen on are those of their densities") {
  for (const PanelDistribution& distribution : fresh_distributions) {
    CAPTURE(distribution.name);
    arma::vec surprise = draw(distribution, 200'000, 3);
    for (double& value : surprise) value = -distribution.log_density(value);
    const Estimate sampled = mean_estimate(surprise);
    CHECK(std::abs(sampled.value - distribution.entropy) < 4 * sampled.standard_error);
  }
}

TEST_CASE("spacings: at N = 1000 and 10 000 the bias is below a tenth of the standard error on the whole panel") {
  for (const std::size_t n : {1000UL, 10'000UL})
    for (const PanelDistribution& distribution : panel) {
      CAPTURE(n);
      CAPTURE(distribution.name);
      const Trials t = trials(distribution, EntropyMethod::spacing, n, n == 1000 ? 400 : 60);
      const Estimate bias = mean_estimate(t.excess);
      CHECK(std::abs(bias.value) < 0.1 * arma::mean(t.standard_error) + 3 * bias.standard_error);
    }
}

TEST_CASE("spacings: the standard error is the spread over samples, and 95 % intervals cover") {
  for (const std::size_t n : {100UL, 1000UL})
    for (const PanelDistribution& distribution : panel) {
      CAPTURE(n);
      CAPTURE(distribution.name);
      const Trials t = trials(distribution, EntropyMethod::spacing, n, 600);
      // Known to 3 % from 600 samples. High for the uniform distribution, whose standard error is all noise.
      const double ratio = arma::mean(t.standard_error) / arma::stddev(t.error);
      CHECK(ratio > 0.88);
      CHECK(ratio < 1.27);
      CHECK(coverage(t) > 0.89);
      CHECK(coverage(t) < 0.99);
    }
}

TEST_CASE("nearest neighbours: the standard error is the spread over samples") {
  for (const PanelDistribution& distribution : panel) {
    CAPTURE(distribution.name);
    const Trials t = trials(distribution, EntropyMethod::nearest_neighbour, 1000, 600);
    const double ratio = arma::mean(t.standard_error) / arma::stddev(t.error);
    CHECK(ratio > 0.9);
    CHECK(ratio < 1.12);
    CHECK(coverage(t) > 0.9);
  }
}

TEST_CASE("kernel and histogram: right for the normal distribution") {
  for (const EntropyMethod method : {EntropyMethod::kde, EntropyMethod::histogram}) {
    CAPTURE(name(method));
    const Trials t = trials(panel[0], method, 1000, 200);
    CHECK(std::abs(arma::mean(t.excess)) < 0.006);
    // 200 samples know the spread to 5 %.
    CHECK(std::abs(arma::mean(t.standard_error) / arma::stddev(t.error) - 1) < 0.2);
  }
}
