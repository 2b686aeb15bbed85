#include <cmath>
#include <numbers>

#include <armadillo>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <doctest/doctest.h>

#include "gaussianize/data/known_law.hpp"
#include "gaussianize/math/estimate.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;

namespace {

constexpr double normal_entropy = 1.4189385332046727;  // ½ log(2πe)

bool within(const Estimate& estimate, double truth, double errors) {
  return std::abs(estimate.value - truth) < errors * estimate.standard_error;
}

/// E g(Z) for a standard normal Z.
template <class Function>
double normal_mean(Function g) {
  const auto integrand = [&](double z) { return g(z) * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); };
  return boost::math::quadrature::gauss_kronrod<double, 61>::integrate(integrand, -12.0, 12.0, 10, 1e-12);
}

}  // namespace

TEST_CASE("the mean of −log density is the law's entropy") {
  constexpr std::size_t rows = 20000;
  constexpr std::size_t dimension = 6;
  // AR(1): total correlation −½(D − 1) log(1 − ρ²) below independence.
  const double gaussian = dimension * normal_entropy + 2.5 * std::log(1 - 0.25);
  CHECK(within(mean_estimate(-draw(KnownLaw::gaussian, rows, dimension, Seed{1}).log_density), gaussian, 4));
  // Exponential columns have entropy 1; z + 0.9 sin z adds E log(1 + 0.9 cos Z).
  const double bent = normal_entropy + normal_mean([](double z) { return std::log1p(0.9 * std::cos(z)); });
  const double copula = 3 * 1.0 + 3 * bent + 2.5 * std::log(1 - 0.25);
  CHECK(within(mean_estimate(-draw(KnownLaw::gaussian_copula, rows, dimension, Seed{2}).log_density), copula, 4));
  // Every column but the first has noise ½; exponentiating a column adds its mean, which is 0 by symmetry.
  const double chain = dimension * normal_entropy + 5 * std::log(0.5);
  CHECK(within(mean_estimate(-draw(KnownLaw::sine_chain, rows, dimension, Seed{3}).log_density), chain, 4));
}

TEST_CASE("an exponential column alone has log density −x") {
  const KnownSample s = draw(KnownLaw::gaussian_copula, 2000, 1, Seed{4});
  CHECK(arma::abs(s.log_density + s.x.col(0)).max() < 1e-12);
}

TEST_CASE("columns have the laws that are promised") {
  const KnownSample g = draw(KnownLaw::gaussian, 50000, 3, Seed{5});
  const arma::mat expected = {{1, 0.5, 0.25}, {0.5, 1, 0.5}, {0.25, 0.5, 1}};
  CHECK(arma::abs(arma::cov(g.x) - expected).max() < 5 * std::sqrt(2.0 / 50000));
  const KnownSample c = draw(KnownLaw::sine_chain, 50000, 4, Seed{6});
  CHECK(c.x.col(1).min() > 0);
  CHECK(c.x.col(3).min() > 0);
  // x₁ before exponentiation is sin(2x₀) + ε/2.
  const arma::vec rest = arma::log(c.x.col(1)) - arma::sin(2 * c.x.col(0));
  CHECK(std::abs(arma::stddev(rest) - 0.5) < 0.01);
  CHECK(std::abs(arma::as_scalar(arma::cor(rest, c.x.col(0)))) < 0.02);
}

TEST_CASE("a row depends on the seed and its number alone") {
  const KnownSample few = draw(KnownLaw::sine_chain, 10, 5, Seed{7});
  const KnownSample many = draw(KnownLaw::sine_chain, 100, 5, Seed{7});
  CHECK(same_bytes(arma::mat(many.x.head_rows(10)), few.x));
  CHECK_FALSE(same_bytes(draw(KnownLaw::sine_chain, 10, 5, Seed{8}).x, few.x));
  CHECK_THROWS_AS(draw(KnownLaw::gaussian, 10, 0, Seed{}), std::invalid_argument);
}
