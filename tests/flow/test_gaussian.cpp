#include <cmath>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

TEST_CASE("fit_gaussian is the maximum-likelihood normal distribution") {
  RandomStream stream(Seed{1}, Purpose::test);
  arma::mat x = random_normal(500, 4, stream);
  x.col(1) = 3 * x.col(1) + 2 * x.col(0) + 7;
  x.col(3) *= 1e4;
  const arma::vec log_p = log_density(fit_gaussian(x), x);

  const arma::rowvec mean = arma::mean(x);
  const arma::mat covariance = arma::cov(x, 1);
  const double log_volume = 0.5 * arma::log_det_sympd(covariance);
  const arma::mat precision = arma::inv_sympd(covariance);
  for (arma::uword i = 0; i < x.n_rows; ++i) {
    const arma::rowvec r = x.row(i) - mean;
    const double expected = 4 * log_normal_pdf(0) - log_volume - 0.5 * arma::as_scalar(r * precision * r.t());
    CHECK(testing::relative_error(log_p[i], expected) < 1e-14);
  }
}

TEST_CASE("collinear columns and fewer rows than columns still give a density") {
  RandomStream stream(Seed{2}, Purpose::test);
  arma::mat x = random_normal(50, 3, stream);
  x.col(2) = x.col(0);
  CHECK(log_density(fit_gaussian(x), x).is_finite());
  const arma::mat wide = random_normal(5, 12, stream);
  CHECK(log_density(fit_gaussian(wide), wide).is_finite());
}

TEST_CASE("a constant column is named") {
  arma::mat x = arma::reshape(arma::regspace(1, 60), 20, 3);
  x.col(1).fill(4.0);
  CHECK_THROWS_WITH_AS(fit_gaussian(x), doctest::Contains("column 1 is constant (4)"), DataError);
}
