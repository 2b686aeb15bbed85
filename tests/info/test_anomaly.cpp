#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <doctest/doctest.h>

#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/info/anomaly.hpp"

#include "support/draws.hpp"

using namespace gaussianize;
using namespace gaussianize::testing;

namespace {

/// The flow of a bivariate normal distribution, columns of unit variance and correlation 0.9, but for the fit's error.
Flow correlated_normal() {
  arma::mat x = normals(20000, 2, 1);
  x.col(1) = 0.9 * x.col(0) + std::sqrt(1 - 0.81) * x.col(1);
  return fit_gaussian(x);
}

/// What the most probable value of column d would gain: (x_d − E[x_d | other])²/(2 Var[x_d | other]), from the values
/// of the log density, a parabola, at three places.
double gain_of_the_mode(const Flow& flow, const arma::rowvec& row, arma::uword d) {
  arma::mat rows = arma::repmat(row, 3, 1);
  rows(0, d) -= 1;
  rows(2, d) += 1;
  const arma::vec log_p = log_density(flow, rows);
  const double slope = (log_p[2] - log_p[0]) / 2, curvature = log_p[2] - 2 * log_p[1] + log_p[0];
  return slope * slope / (-2 * curvature);
}

}  // namespace

TEST_CASE("tail_probability is the rank among the calibration rows") {
  const Calibration calibration{1, 2, 2, 3};
  CHECK(tail_probability(calibration, 0.5) == 1.0 / 5);
  CHECK(tail_probability(calibration, 1.0) == 2.0 / 5);
  CHECK(tail_probability(calibration, 2.0) == 4.0 / 5);
  CHECK(tail_probability(calibration, 2.5) == 4.0 / 5);
  CHECK(tail_probability(calibration, 3.0) == 1.0);
  CHECK(tail_probability({}, 0.0) == 1.0);
  CHECK(arma::all(tail_probability(calibration, arma::vec{0.5, 2.5}) == arma::vec{1.0 / 5, 4.0 / 5}));
}

TEST_CASE("a row of the same distribution has any of the possible tail probabilities equally often") {
  // Each of n + 1 exchangeable rows in turn is the new one.
  arma::vec all = normals(50, 1, 2);
  std::vector<double> tails;
  for (arma::uword i = 0; i < all.n_elem; ++i) {
    Calibration others(all.begin(), all.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    std::sort(others.begin(), others.end());
    tails.push_back(tail_probability(others, all[i]));
  }
  std::sort(tails.begin(), tails.end());
  for (std::size_t i = 0; i < tails.size(); ++i) CHECK(tails[i] == static_cast<double>(i + 1) / 50);
}

TEST_CASE("calibrate sorts the log densities of the rows, or of evenly spaced ones") {
  const Flow flow = correlated_normal();
  const arma::mat rows = normals(30000, 2, 3);
  const arma::vec few = arma::sort(log_density(flow, rows.head_rows(20000)));
  CHECK(calibrate(flow, rows.head_rows(20000)) == Calibration(few.begin(), few.end()));
  const arma::vec every_second = arma::sort(log_density(flow, rows.rows(arma::regspace<arma::uvec>(0, 2, 29999))));
  CHECK(calibrate(flow, rows) == Calibration(every_second.begin(), every_second.end()));
  CHECK(calibrate(flow, rows.head_rows(1)).size() == 1);
  CHECK_THROWS_AS(calibrate(flow, arma::mat(0, 2)), std::invalid_argument);
  CHECK_THROWS_AS(calibrate(flow, arma::mat(5, 3, arma::fill::zeros)), std::invalid_argument);
}

TEST_CASE("a column's contribution is what its most probable value gains") {
  const Flow flow = correlated_normal();
  // Ordinary columns that do not fit each other; another such pair; the mean.
  const arma::mat rows{{1.5, -1.5}, {0.2, 2.0}, {0.0, 0.0}};
  const auto explained = explain_rows(flow, rows, Seed{4});
  REQUIRE(explained.size() == 3);
  for (arma::uword i = 0; i < rows.n_rows; ++i) {
    REQUIRE(explained[i].size() == 2);
    CHECK(explained[i][0].nats >= explained[i][1].nats);
    CHECK(explained[i][0].column + explained[i][1].column == 1);
    for (const ColumnContribution& part : explained[i]) {
      const double exact = gain_of_the_mode(flow, rows.row(i), part.column);
      CHECK(part.value == rows(i, part.column));
      CHECK(part.nats <= exact + 1e-10);
      // Quantiles are at most 0.2 apart here, and the conditional variance is 0.19.
      CHECK(part.nats > exact - 0.1 * 0.1 / (2 * 0.19) - 0.01);
      arma::rowvec changed = rows.row(i);
      changed[part.column] = part.typical;
      CHECK(log_density(flow, changed)[0] - log_density(flow, rows.row(i))[0] == part.nats);
    }
  }
  CHECK(explained[0][0].nats > 7);
  CHECK(std::abs(explained[0][0].typical) > 1);
}

TEST_CASE("explain_rows: the same for any number of threads; refuses rows of another width") {
  const Flow flow = correlated_normal();
  const arma::mat rows = normals(5, 2, 5);
  const auto one = explain_rows(flow, rows, Seed{6}, {.threads = 1});
  const auto three = explain_rows(flow, rows, Seed{6}, {.threads = 3});
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t c = 0; c < 2; ++c) {
      CHECK(one[i][c].column == three[i][c].column);
      CHECK(one[i][c].nats == three[i][c].nats);
    }
  CHECK(explain_rows(flow, arma::mat(0, 2), Seed{6}).empty());
  CHECK_THROWS_AS(explain_rows(flow, arma::mat(2, 3, arma::fill::zeros), Seed{6}), std::invalid_argument);
}
