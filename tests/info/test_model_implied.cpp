#include <cmath>
#include <numbers>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/info/model_implied.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::testing;

TEST_CASE("a Gaussian model's entropy and total correlation are those of its covariance") {
  const arma::mat training = draw(KnownDistribution::gaussian, 5000, 4, Seed{1}).x;
  const arma::mat fresh = draw(KnownDistribution::gaussian, 8000, 4, Seed{2}).x;
  const Flow flow = fit_gaussian(training);
  const ModelImplied implied = model_implied(flow, fresh, {.sample_rows = 20'000, .seed = Seed{3}});

  const arma::mat covariance = arma::cov(training, 1);
  const double half_log_det = 0.5 * arma::log_det_sympd(covariance);
  const double entropy = 2 * std::log(2 * std::numbers::pi * std::numbers::e) + half_log_det;
  const double dependence = 0.5 * arma::accu(arma::log(covariance.diag())) - half_log_det;
  CHECK(implied.sample_rows == 20'000);
  CHECK(std::abs(implied.entropy.value - entropy) < 4 * implied.entropy.standard_error);
  // −log p has variance D/2 and kurtosis 6: its standard error is itself known to 0.8 %.
  CHECK(relative_error(implied.entropy.standard_error, std::sqrt(2.0 / 20'000)) < 0.032);
  CHECK(std::abs(implied.total_correlation.value - dependence) < 4 * implied.total_correlation.standard_error);
  CHECK(implied.total_correlation.standard_error < 0.01);

  CHECK(std::abs(implied.cross_entropy.value + arma::mean(log_density(flow, fresh))) < 1e-12);
  CHECK(std::abs(implied.excess.value) < 4 * implied.excess.standard_error);
  CHECK(std::abs(implied.data_dependence.value + 1.5 * std::log(0.75)) < 4 * implied.data_dependence.standard_error);
  REQUIRE(implied.model_columns.size() == 4);
  for (std::size_t d = 0; d < 4; ++d) {
    const double truth = 0.5 * std::log(2 * std::numbers::pi * std::numbers::e * covariance(d, d));
    CHECK(std::abs(implied.model_columns[d].entropy.value - truth) <
          4 * implied.model_columns[d].entropy.standard_error);
  }
}

TEST_CASE(
    "a model that is wrong is found out: data have more cross entropy than it implies, or show less dependence than "
    "they have") {
  // Dependent beyond correlation: the normal distribution of the same covariance has far larger entropy.
  const KnownSample data = draw(KnownDistribution::sine_chain, 5000, 4, Seed{4});
  const ModelImplied implied = model_implied(fit_gaussian(data.x), data.x, {.sample_rows = 5000});
  const double truth = marginal_entropy(data.x).value + arma::mean(data.log_density);
  CHECK(implied.data_dependence.value < truth - 0.5);
  CHECK(implied.cross_entropy.value > -arma::mean(data.log_density) + 0.5);
  CHECK(implied.data_columns[1].shape_negentropy.value > implied.model_columns[1].shape_negentropy.value + 0.1);

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
