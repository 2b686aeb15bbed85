#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/marginal/detail/mixture_inverse.hpp"
#include "gaussianize/marginal/detail/mixture_log_domain.hpp"
#include "gaussianize/marginal/logistic_mixture.hpp"

#include "marginal/mixture_oracle.hpp"
#include "support/bytes.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

arma::mat inverted(const LogisticMixture& mixture, arma::mat z) {
  inverse(mixture, z);
  return z;
}

/// The largest |z(x(z)) − z|, over 1 + |z| plus what the last bit of x moves z by.
double forth_and_back(const LogisticMixture& mixture, const arma::mat& z) {
  const arma::mat x = inverted(mixture, z);
  const MarginalPass pass = forward(mixture, x);
  double worst = 0.0;
  for (std::size_t i = 0; i < z.n_elem; ++i) {
    const double bit = std::numeric_limits<double>::epsilon() * std::abs(x[i]) * std::exp(pass.log_dzdx[i]);
    const double error = std::abs(pass.z[i] - z[i]) / (1.0 + std::abs(z[i]) + 1e15 * bit);
    worst = error <= worst ? worst : (std::isnan(error) ? 1e300 : error);
  }
  return worst;
}

/// The largest |x(z(x)) − x|/(1 + |x|).
double back_and_forth(const LogisticMixture& mixture, const arma::mat& x) {
  const arma::mat error = arma::abs(inverted(mixture, forward(mixture, x).z) - x) / (1.0 + arma::abs(x));
  return error.has_nan() ? 1e300 : error.max();
}

}  // namespace

TEST_CASE("the inverse undoes the map, |z| to 8") {
  for (const std::size_t kernels : {1, 2, 5, 50})
    for (const double narrower : {0.0, 1.0, 2.5})
      for (const Link link : links) {
        CAPTURE(kernels);
        CAPTURE(narrower);
        CAPTURE(static_cast<int>(link));
        LogisticMixture mixture = random_mixture(kernels, 3, kernels != 5, kernels, link);
        mixture.log_scale -= narrower;
        const arma::mat z = uniform(3000, 3, -8.0, 8.0, kernels);
        CHECK(forth_and_back(mixture, z) <= (link == Link::probit ? 2e-15 : 4e-15));
        CHECK(back_and_forth(mixture, inverted(mixture, z)) <= 1e-12);
      }
}

TEST_CASE("the inverse undoes the map, |z| to 38 and far beyond") {
  for (const std::size_t kernels : {1, 3, 50})
    for (const Link link : links) {
      const LogisticMixture mixture = random_mixture(kernels, 1, true, kernels, link);
      for (const double bound : {38.0, 60.0, 500.0, 1400.0, 1e6}) {
        if (link == Link::probit && bound > 2000.0) continue;
        CAPTURE(bound);
        const arma::mat z = uniform(kernels == 50 ? 200 : 1000, 1, -bound, bound, kernels);
        CHECK(forth_and_back(mixture, z) <= (link == Link::probit ? 2e-15 : 4e-15));
        CHECK(back_and_forth(mixture, inverted(mixture, z)) <= 1e-12);
      }
    }
}

TEST_CASE("one kernel has the inverse μ + h logit Φ(z)") {
  const LogisticMixture mixture{arma::mat{0.7}, arma::mat{-0.4}, {}};
  const arma::mat z = uniform(500, 1, -37.0, 37.0, 1);
  const arma::mat x = inverted(mixture, z);
  for (std::size_t i = 0; i < z.n_elem; ++i) {
    const double logit = log_normal_cdf(z[i]) - log_normal_cdf(-z[i]);
    CHECK(std::abs(x[i] - (0.7 + std::exp(-0.4) * logit)) <= 4e-15 * (1.0 + std::abs(x[i])));
  }
}

TEST_CASE("gaps between narrow kernels, where z hardly moves, are crossed") {
  // F is 1/4, 1/2, 3/4 all over a gap, to the last bit.
  const LogisticMixture mixture{arma::mat{-30.0, -10.0, 10.0, 30.0}.t(), arma::mat{-5.0, -4.0, -5.0, -3.0}.t(), {}};
  CHECK(forth_and_back(mixture, uniform(4000, 1, -6.0, 6.0, 3)) <= 2e-15);
  CHECK(forth_and_back(mixture, arma::mat{normal_quantile(0.25), 0.0, normal_quantile(0.75)}.t()) <= 2e-15);
  LogisticMixture logit = mixture;
  logit.link = Link::logit;
  CHECK(forth_and_back(logit, uniform(4000, 1, -6.0, 6.0, 3)) <= 2e-15);
  const double quarter = logit_scale * std::log(1.0 / 3.0);
  CHECK(forth_and_back(logit, arma::mat{quarter, 0.0, -quarter}.t()) <= 2e-15);
}

TEST_CASE("bandwidths from e⁻²⁰ to e²⁰ are inverted") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    LogisticMixture mixture = random_mixture(1 + seed % 7, 1, true, seed, links[seed % 2]);
    mixture.log_scale = uniform(mixture.mu.n_rows, 1, -20.0, 20.0, seed);
    mixture.logit *= 10.0;
    const double error = forth_and_back(mixture, uniform(100, 1, -9.0, 9.0, seed));
    CHECK(error <= 1e-14);
  }
}

TEST_CASE("infinite and missing values pass through the inverse") {
  const double infinity = std::numeric_limits<double>::infinity();
  const arma::mat x = inverted(random_mixture(3, 1, true, 1), arma::mat{-infinity, infinity, std::nan("")}.t());
  CHECK(x[0] == -infinity);
  CHECK(x[1] == infinity);
  CHECK(std::isnan(x[2]));
}

TEST_CASE("a row's inverse does not depend on the rows around it, and may be made in place") {
  const LogisticMixture mixture = random_mixture(20, 2, true, 4);
  arma::mat z = uniform(700, 2, -5.0, 5.0, 5);
  z(3, 0) = 37.5;
  z(300, 1) = -120.0;
  const arma::mat all = inverted(mixture, z);
  for (const std::size_t begin : {0, 1, 3, 255, 300, 640}) {
    const std::size_t end = std::min<std::size_t>(699, begin + 60);
    CHECK(same_bytes(inverted(mixture, z.rows(begin, end)), arma::mat(all.rows(begin, end))));
    CHECK(same_bytes(inverted(mixture, z.row(begin)), arma::mat(all.row(begin))));
  }
  const MixtureEvaluator evaluator = make_evaluator(mixture);
  arma::mat x(700, 2);
  inverse_block(evaluator, make_inverse(evaluator), {z.memptr(), 700}, {x.memptr(), 700}, 700);
  CHECK(same_bytes(x, all));
}

TEST_CASE("the bracket holds the solution and the slow solver agrees with the fast one") {
  const LogisticMixture mixture = random_mixture(6, 1, true, 8);
  const MixtureEvaluator evaluator = make_evaluator(mixture);
  const arma::mat z = uniform(300, 1, -12.0, 12.0, 9);
  const arma::mat x = inverted(mixture, z);
  for (std::size_t i = 0; i < z.n_elem; ++i) {
    const Bracket bracket = quantile_bracket(evaluator, 0, z[i]);
    CHECK(bracket.low <= x[i]);
    CHECK(bracket.high >= x[i]);
    CHECK(std::abs(solve_inverse(evaluator, 0, z[i], bracket) - x[i]) <= 1e-13 * (1.0 + std::abs(x[i])));
  }
}
