#include <cmath>
#include <numbers>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/info/model_implied.hpp"

#include "support/bytes.hpp"
#include "support/laws.hpp"

using namespace gaussianize;
using namespace gaussianize::testing;

TEST_CASE("a Gaussian model's entropy and total correlation are those of its covariance") {
  const arma::mat training = draw(KnownDistribution::gaussian, 5000, 4, Seed{1}).x;
  const arma::mat fresh = draw(KnownDistribution::gaussian, 8000, 4, Seed{2}).x;
  const Flow flow = fit_gaussian(training);
  const ModelImplied beliefs = model_implied(flow, fresh, {.sample_rows = 20'000, .seed = Seed{3}});

  const arma::mat covariance = arma::cov(training, 1);
  const double half_log_det = 0.5 * arma::log_det_sympd(covariance);
  const double entropy = 2 * std::log(2 * std::numbers::pi * std::numbers::e) + half_log_det;
  const double dependence = 0.5 * arma::accu(arma::log(covariance.diag())) - half_log_det;
  CHECK(beliefs.sample_rows == 20'000);
  CHECK(std::abs(beliefs.entropy.value - entropy) < 4 * beliefs.entropy.standard_error);
  CHECK(beliefs.entropy.standard_error == doctest::Approx(std::sqrt(2.0 / 20'000)).epsilon(0.05));
  CHECK(std::abs(beliefs.total_correlation.value - dependence) < 4 * beliefs.total_correlation.standard_error);
  CHECK(beliefs.total_correlation.standard_error < 0.01);

  CHECK(std::abs(beliefs.cross_entropy.value + arma::mean(log_density(flow, fresh))) < 1e-12);
  CHECK(std::abs(beliefs.excess.value) < 4 * beliefs.excess.standard_error);
  CHECK(std::abs(beliefs.data_dependence.value + 1.5 * std::log(0.75)) < 4 * beliefs.data_dependence.standard_error);
  REQUIRE(beliefs.model_columns.size() == 4);
  for (std::size_t d = 0; d < 4; ++d) {
    const double truth = 0.5 * std::log(2 * std::numbers::pi * std::numbers::e * covariance(d, d));
    CHECK(std::abs(beliefs.model_columns[d].entropy.value - truth) <
          4 * beliefs.model_columns[d].entropy.standard_error);
  }
}

TEST_CASE(
    "a model that is wrong is found out: data cost more than it believes, or show less dependence than they have") {
  // Dependent beyond correlation: the normal law of the same covariance has far larger entropy.
  const KnownSample data = draw(KnownDistribution::sine_chain, 5000, 4, Seed{4});
  const ModelImplied beliefs = model_implied(fit_gaussian(data.x), data.x, {.sample_rows = 5000});
  const double truth = marginal_entropy(data.x).value + arma::mean(data.log_density);
  CHECK(beliefs.data_dependence.value < truth - 0.5);
  CHECK(beliefs.cross_entropy.value > -arma::mean(data.log_density) + 0.5);
  CHECK(beliefs.data_columns[1].shape_negentropy.value > beliefs.model_columns[1].shape_negentropy.value + 0.1);

  const arma::mat independent = draw(KnownDistribution::gaussian, 5000, 3, Seed{5}).x;
  const ModelImplied narrow = model_implied(fit_gaussian(0.5 * independent), independent, {.sample_rows = 5000});
  CHECK(narrow.excess.value > 20 * narrow.excess.standard_error);
}

TEST_CASE("the seed decides the draws, threads do not") {
  const arma::mat x = draw(KnownDistribution::gaussian, 500, 3, Seed{6}).x;
  const Flow flow = fit_gaussian(x);
  const auto numbers = [&](int threads, std::uint64_t seed) {
    const ModelImplied b = model_implied(flow, x, {.sample_rows = 1000, .seed = Seed{seed}, .threads = threads});
    return std::vector<double>{b.entropy.value, b.total_correlation.value, b.cross_entropy.standard_error,
                               b.data_dependence.value, b.model_columns[2].negentropy.value};
  };
  const std::vector<double> one = numbers(1, 7);
  for (const int threads : {2, 3, 8}) CHECK(same_bytes(one, numbers(threads, 7)));
  CHECK(one[0] != numbers(1, 8)[0]);
  CHECK_THROWS_AS(model_implied(flow, x.cols(0, 1)), std::invalid_argument);
  CHECK_THROWS_AS(model_implied(flow, x, {.sample_rows = 2}), DataError);
}
