#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <armadillo>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/math/estimate.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using gaussianize::testing::same_bytes;

namespace {

constexpr KnownDistribution all_kinds[] = {KnownDistribution::gaussian,      KnownDistribution::gaussian_copula,
                                           KnownDistribution::sine_chain,    KnownDistribution::student_t,
                                           KnownDistribution::student_t_ar1, KnownDistribution::rotated_uniform,
                                           KnownDistribution::laplace_mix,   KnownDistribution::gaussian_mixture};

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

TEST_CASE("true_entropy agrees with quadrature and with the anchors of Student's t") {
  constexpr std::size_t dimension = 6;
  const double bent = normal_entropy + normal_mean([](double z) { return std::log1p(0.9 * std::cos(z)); });
  CHECK(testing::relative_error(true_entropy(KnownDistribution::gaussian_copula, dimension),
                                3 + 3 * bent + 2.5 * std::log(0.75)) < 1e-14);
  for (const auto& [d, entropy] : {std::pair(3u, 4.836019), std::pair(10u, 15.848164), std::pair(100u, 154.135643)})
    CHECK(testing::relative_error(true_entropy(KnownDistribution::student_t, d), entropy) < 1e-7);
  // ½N(1, 1) + ½N(−1, 1) by quadrature of −f log f.
  const auto f = [](double x) { return std::exp(-x * x / 2 - 0.5) * std::cosh(x) / std::sqrt(2 * std::numbers::pi); };
  const double pair = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
      [&](double x) { return -f(x) * std::log(f(x)); }, -14.0, 14.0, 10, 1e-12);
  CHECK(testing::relative_error(true_entropy(KnownDistribution::gaussian_mixture, 1), pair) < 1e-14);
}

TEST_CASE("true_total_correlation: the anchors, independent columns and bounds") {
  const auto close = [](KnownDistribution distribution, std::size_t d, double truth) {
    CAPTURE(name(distribution));
    CAPTURE(d);
    CHECK(std::abs(true_total_correlation(distribution, d).value() - truth) < 1.5e-6);
  };
  close(KnownDistribution::gaussian, 10, 1.294569);
  close(KnownDistribution::gaussian_copula, 50, 7.048211);
  close(KnownDistribution::student_t, 3, 0.046489);
  close(KnownDistribution::student_t, 50, 3.840969);
  close(KnownDistribution::student_t_ar1, 10, 1.721432);
  close(KnownDistribution::student_t_ar1, 100, 22.854887);
  close(KnownDistribution::rotated_uniform, 3, 0.485229);
  close(KnownDistribution::rotated_uniform, 10, 1.757545);
  close(KnownDistribution::rotated_uniform, 50, 8.822891);
  // (u₁ ± u₂)/√2 are triangular: ½ + log √2 each instead of the uniform's 0, both up to log 2√3 − log 2.
  close(KnownDistribution::rotated_uniform, 2, 2 * (0.5 - std::log(2.0) / 2));
  // (s₁ ± s₂)/√2, s Laplace: density (1 + 2|x|)e^{−2|x|}/2; E log(1 + T) by quadrature.
  const auto f = [](double x) { return (1 + 2 * x) * std::exp(-2 * x) / 2; };
  const double half = boost::math::quadrature::gauss_kronrod<double, 61>::integrate(
      [&](double x) { return -f(x) * std::log(f(x)); }, 0.0, 40.0, 12, 1e-12);
  close(KnownDistribution::laplace_mix, 2, 2 * (2 * half - 1 - std::log(2.0) / 2));
  for (const KnownDistribution distribution : all_kinds)
    if (distribution != KnownDistribution::sine_chain) close(distribution, 1, 0);
  CHECK_FALSE(true_total_correlation(KnownDistribution::sine_chain, 3).has_value());
  CHECK_THROWS_AS(true_entropy(KnownDistribution::gaussian, 0), std::invalid_argument);
  CHECK_THROWS_AS(true_total_correlation(KnownDistribution::gaussian, 0), std::invalid_argument);
}

TEST_CASE("one column of each distribution has the known density") {
  const boost::math::students_t student(5);
  const KnownSample t = draw(KnownDistribution::student_t, 500, 1, Seed{11});
  const KnownSample laplace = draw(KnownDistribution::laplace_mix, 500, 1, Seed{11});
  const KnownSample pair = draw(KnownDistribution::gaussian_mixture, 500, 1, Seed{11});
  for (arma::uword i = 0; i < 500; ++i) {
    CHECK(testing::relative_error(t.log_density[i], std::log(boost::math::pdf(student, t.x[i]))) < 1e-14);
    const double s = std::numbers::sqrt2 * std::abs(laplace.x[i]);
    CHECK(testing::relative_error(laplace.log_density[i], -s - std::log(std::numbers::sqrt2)) < 1e-14);
    const double x = pair.x[i];
    const double mixture = (std::exp(-(x - 1) * (x - 1) / 2) + std::exp(-(x + 1) * (x + 1) / 2)) / 2;
    CHECK(testing::relative_error(pair.log_density[i], std::log(mixture / std::sqrt(2 * std::numbers::pi))) < 1e-14);
  }
  CHECK(testing::kolmogorov_statistic(
            arma::conv_to<std::vector<double>>::from(draw(KnownDistribution::student_t, 20000, 3, Seed{12}).x.col(1)),
            [&](double v) { return boost::math::cdf(student, v); }) < 1.95);
}

TEST_CASE("the rotated distributions are their independent columns again when rotated back") {
  const arma::mat dct = dct_matrix(6);
  CHECK(arma::abs(dct * dct.t() - arma::eye(6, 6)).max() < 1e-15 * 8);
  const arma::mat u = draw(KnownDistribution::rotated_uniform, 20000, 6, Seed{13}).x * dct;
  CHECK(arma::abs(u).max() < std::sqrt(3.0) * (1 + 1e-12));
  const arma::mat s = draw(KnownDistribution::laplace_mix, 20000, 6, Seed{14}).x * dct;
  for (arma::uword d = 0; d < 6; ++d) {
    const auto uniform = [](double v) { return (v / std::sqrt(3.0) + 1) / 2; };
    const auto laplace = [](double v) {
      const double tail = std::exp(-std::numbers::sqrt2 * std::abs(v)) / 2;
      return v < 0 ? tail : 1 - tail;
    };
    CHECK(testing::kolmogorov_statistic(arma::conv_to<std::vector<double>>::from(u.col(d)), uniform) < 1.95);
    CHECK(testing::kolmogorov_statistic(arma::conv_to<std::vector<double>>::from(s.col(d)), laplace) < 1.95);
  }
  CHECK(arma::abs(arma::cor(s) - arma::eye(6, 6)).max() < 0.035);
}

TEST_CASE("the mean of −log density is true_entropy") {
  for (const std::size_t d : {1, 2, 6})
    for (const KnownDistribution distribution : all_kinds) {
      CAPTURE(name(distribution));
      CAPTURE(d);
      const KnownSample s = draw(distribution, 20000, d, Seed{20 + d});
      const bool constant = distribution == KnownDistribution::rotated_uniform;
      if (constant)
        CHECK(testing::relative_error(-s.log_density.max(), true_entropy(distribution, d)) < 1e-14);
      else
        CHECK(within(mean_estimate(-s.log_density), true_entropy(distribution, d), 4));
    }
}

TEST_CASE("the mean of −log density is the entropy as it is derived on paper") {
  constexpr std::size_t rows = 20000;
  constexpr std::size_t dimension = 6;
  // AR(1): total correlation −½(D − 1) log(1 − ρ²) below independence.
  const double gaussian = dimension * normal_entropy + 2.5 * std::log(1 - 0.25);
  CHECK(within(mean_estimate(-draw(KnownDistribution::gaussian, rows, dimension, Seed{1}).log_density), gaussian, 4));
  // Exponential columns have entropy 1; z + 0.9 sin z adds E log(1 + 0.9 cos Z).
  const double bent = normal_entropy + normal_mean([](double z) { return std::log1p(0.9 * std::cos(z)); });
  const double copula = 3 * 1.0 + 3 * bent + 2.5 * std::log(1 - 0.25);
  CHECK(within(mean_estimate(-draw(KnownDistribution::gaussian_copula, rows, dimension, Seed{2}).log_density), copula,
               4));
  // Every column but the first has noise ½; exponentiating a column adds its mean, which is 0 by symmetry.
  const double chain = dimension * normal_entropy + 5 * std::log(0.5);
  CHECK(within(mean_estimate(-draw(KnownDistribution::sine_chain, rows, dimension, Seed{3}).log_density), chain, 4));
}

TEST_CASE("an exponential column alone has log density −x") {
  const KnownSample s = draw(KnownDistribution::gaussian_copula, 2000, 1, Seed{4});
  CHECK(arma::abs(s.log_density + s.x.col(0)).max() < 1e-12);
}

TEST_CASE("columns are distributed as documented") {
  const KnownSample g = draw(KnownDistribution::gaussian, 50000, 3, Seed{5});
  const arma::mat expected = {{1, 0.5, 0.25}, {0.5, 1, 0.5}, {0.25, 0.5, 1}};
  CHECK(arma::abs(arma::cov(g.x) - expected).max() < 5 * std::sqrt(2.0 / 50000));
  const KnownSample c = draw(KnownDistribution::sine_chain, 50000, 4, Seed{6});
  CHECK(c.x.col(1).min() > 0);
  CHECK(c.x.col(3).min() > 0);
  // x₁ before exponentiation is sin(2x₀) + ε/2.
  const arma::vec rest = arma::log(c.x.col(1)) - arma::sin(2 * c.x.col(0));
  CHECK(std::abs(arma::stddev(rest) - 0.5) < 0.01);
  CHECK(std::abs(arma::as_scalar(arma::cor(rest, c.x.col(0)))) < 0.02);
}

TEST_CASE("a row depends on the seed and its number alone") {
  const KnownSample few = draw(KnownDistribution::sine_chain, 10, 5, Seed{7});
  const KnownSample many = draw(KnownDistribution::sine_chain, 100, 5, Seed{7});
  CHECK(same_bytes(arma::mat(many.x.head_rows(10)), few.x));
  CHECK_FALSE(same_bytes(draw(KnownDistribution::sine_chain, 10, 5, Seed{8}).x, few.x));
  CHECK_THROWS_AS(draw(KnownDistribution::gaussian, 10, 0, Seed{}), std::invalid_argument);
}
