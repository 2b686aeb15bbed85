#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <armadillo>
#include <boost/math/distributions/beta.hpp>
#include <doctest/doctest.h>

#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/random.hpp"

#include "rotation/checks.hpp"
#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

constexpr std::size_t draws = 4000;
constexpr arma::uword d = 4;

/// What uniformity over the orthogonal group implies, each as a number of standard errors from its expectation.
struct HaarScores {
  double trace = 0.0;         ///< E tr Q = 0, with variance 1
  double trace_square = 0.0;  ///< E (tr Q)² = 1, with variance at most 3 for D ≥ 2
  double squares = 0.0;       ///< E Q_ij² = 1/D for each entry: the worst of them
  double determinant = 0.0;   ///< P(det Q = 1) = ½
  double distribution = 0.0;  ///< √n · Kolmogorov–Smirnov distance of Q_00² from Beta(½, (D − 1)/2)
};

double kolmogorov_smirnov(std::vector<double> sample) {
  const boost::math::beta_distribution<double> distribution(0.5, 0.5 * (d - 1));
  std::sort(sample.begin(), sample.end());
  const double n = static_cast<double>(sample.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double f = boost::math::cdf(distribution, std::min(sample[i], 1.0)), k = static_cast<double>(i);
    worst = std::max({worst, f - k / n, (k + 1.0) / n - f});
  }
  return std::sqrt(n) * worst;
}

HaarScores haar_scores(const std::function<arma::mat(RandomStream&)>& draw) {
  RandomStream stream(Seed{21}, Purpose::rotation);
  arma::mat squares(d, d, arma::fill::zeros);
  double trace = 0.0, trace_square = 0.0, positive = 0.0;
  std::vector<double> corner;
  for (std::size_t i = 0; i < draws; ++i) {
    const arma::mat q = draw(stream);
    squares += arma::square(q);
    trace += arma::trace(q);
    trace_square += arma::trace(q) * arma::trace(q);
    positive += arma::det(q) > 0.0;
    corner.push_back(q(0, 0) * q(0, 0));
  }
  const double n = static_cast<double>(draws), root = std::sqrt(n), dim = static_cast<double>(d);
  const double square_sd = std::sqrt(2.0 * (dim - 1.0) / (dim * dim * (dim + 2.0)));
  return {std::abs(trace / n) * root, std::abs(trace_square / n - 1.0) * root / std::sqrt(3.0),
          arma::abs(squares / n - 1.0 / dim).max() * root / square_sd, std::abs(positive / n - 0.5) * 2.0 * root,
          kolmogorov_smirnov(corner)};
}

}  // namespace

TEST_CASE("random rotations follow Haar's distribution") {
  const HaarScores scores = haar_scores([](RandomStream& stream) { return random_rotation(d, stream); });
  CHECK(scores.trace < 4.0);
  CHECK(scores.trace_square < 4.0);
  CHECK(scores.squares < 4.0);
  CHECK(scores.determinant < 4.0);
  CHECK(scores.distribution < 1.95);  // exceeded once in a thousand
}

TEST_CASE("the scores of Haar's distribution reject other distributions") {
  const HaarScores raw = haar_scores([](RandomStream& stream) {
    arma::mat q, r;
    arma::qr(q, r, random_normal(d, d, stream));
    return q;  // with the signs that the decomposition chose
  });
  CHECK(raw.trace > 10.0);
  const HaarScores uniform = haar_scores([](RandomStream& stream) {
    arma::mat q, r, entries(d, d);
    for (double& entry : entries) entry = stream.uniform();
    entries.row(0) *= 2.0;
    arma::qr(q, r, entries);
    return q;
  });
  CHECK(uniform.squares > 10.0);
  CHECK(uniform.distribution > 3.0);
}

TEST_CASE("the stream decides a random rotation") {
  RandomStream a(Seed{5}, Purpose::rotation), b(Seed{5}, Purpose::rotation), c(Seed{6}, Purpose::rotation);
  const arma::mat first = random_rotation(8, a);
  CHECK(testing::same_bytes(first, random_rotation(8, b)));
  CHECK_FALSE(testing::same_bytes(first, random_rotation(8, a)));
  CHECK_FALSE(testing::same_bytes(first, random_rotation(8, c)));
}
