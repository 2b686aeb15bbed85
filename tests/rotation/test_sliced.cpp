#include <algorithm>
#include <cmath>
#include <vector>

#include <armadillo>
#include <boost/math/distributions/normal.hpp>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/detail/wasserstein.hpp"
#include "gaussianize/rotation/random.hpp"
#include "gaussianize/rotation/sliced.hpp"

#include "rotation/checks.hpp"
#include "rotation/sources.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using testing::Source;

namespace {

/// W₂² of a sample to the normal quantiles, by its definition.
double reference_distance(arma::vec p) {
  std::sort(p.begin(), p.end());
  const double n = static_cast<double>(p.n_elem);
  double sum = 0.0;
  for (arma::uword i = 0; i < p.n_elem; ++i)
    sum += std::pow(p(i) - boost::math::quantile(boost::math::normal(), (static_cast<double>(i) + 0.5) / n), 2);
  return sum / n;
}

double reference_objective(const arma::mat& x, const arma::mat& q) {
  const arma::mat p = x * q;
  double sum = 0.0;
  for (arma::uword k = 0; k < p.n_cols; ++k) sum += reference_distance(p.col(k));
  return sum;
}

struct Hidden {
  arma::mat x, axes;
};

/// White noise with the given distributions along the first of random orthonormal axes.
Hidden hide(const std::vector<Source>& distributions, arma::uword n, arma::uword d, RandomStream& stream) {
  arma::mat z = random_normal(n, d, stream);
  for (arma::uword k = 0; k < distributions.size(); ++k) z.col(k) = testing::draws(n, distributions[k], stream);
  const arma::mat axes = random_rotation(d, stream);
  return {z * axes.t(), axes};
}

constexpr Source all_distributions[] = {Source::laplace, Source::uniform, Source::exponential, Source::bimodal,
                                        Source::student};

void check_sorted(const std::vector<double>& values) {
  std::vector<std::pair<double, std::uint32_t>> expected;
  for (std::size_t i = 0; i < values.size(); ++i) expected.emplace_back(values[i], static_cast<std::uint32_t>(i));
  std::sort(expected.begin(), expected.end());
  const std::vector<detail::Ranked> order = detail::sorted(values.data(), values.size());
  REQUIRE(order.size() == values.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    wrong += order[i].value != expected[i].first || order[i].index != expected[i].second;
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("sorted puts values in order, and equal ones by index") {
  RandomStream stream(Seed{61}, Purpose::test);
  std::vector<double> bell(5000), ties(5000), tail(5000), wide(300), one{3.0}, same(100, 2.0), tiny(100);
  fill_normal(stream, bell.data(), bell.size());
  for (double& v : ties) v = std::floor(5.0 * stream.uniform());
  for (double& v : tail) v = std::pow(stream.uniform(), -3.0);
  for (double& v : wide) v = (2.0 * stream.uniform() - 1.0) * 1.7e308;
  for (double& v : tiny) v = std::floor(50.0 * stream.uniform()) * 5e-324;
  for (const std::vector<double>& values : {bell, ties, tail, wide, one, same, tiny, std::vector<double>{}})
    check_sorted(values);
}

TEST_CASE("normal scores are the quantiles of the middles, and antisymmetric") {
  for (const std::size_t n : {1, 2, 7, 1000}) {
    const std::vector<double> scores = detail::normal_scores(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double u = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
      // Above ½ the rounding of u itself shows; the other check covers that half.
      if (u <= 0.5) CHECK(std::abs(scores[i] - boost::math::quantile(boost::math::normal(), u)) < 4e-15);
      CHECK(scores[i] == -scores[n - 1 - i]);
    }
  }
}

TEST_CASE("fit_normal measures distance, correlation, slope and residuals") {
  // p = 2z + 1 at the scores themselves: T′ = ½, E(p − T)² = E(z + 1)², E pT = 2E z².
  const std::vector<double> scores = detail::normal_scores(6400);
  std::vector<double> p(scores.size()), residual(scores.size());
  double square = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    p[(i * 17) % p.size()] = 2.0 * scores[i] + 1.0;
    square += scores[i] * scores[i] / static_cast<double>(p.size());
  }
  const detail::NormalFit fit = detail::fit_normal(p.data(), scores, residual.data());
  CHECK(testing::relative_error(fit.distance, square + 1.0) < 1e-14);
  CHECK(testing::relative_error(fit.correlation, 2.0 * square) < 1e-13);
  CHECK(testing::relative_error(fit.slope, 0.5) < 1e-14);
  for (std::size_t i = 0; i < p.size(); i += 97) CHECK(std::abs(residual[i] - (p[i] + 1.0) / 2.0) < 1e-12);
}

TEST_CASE("a hidden direction is found, first") {
  for (const arma::uword d : {5, 10})
    for (const Source distribution : all_distributions)
      for (const std::uint64_t seed : {1, 2}) {
        CAPTURE(d);
        CAPTURE(static_cast<int>(distribution));
        RandomStream stream(Seed{seed}, Purpose::test, 10 * d + static_cast<std::uint64_t>(distribution));
        const Hidden hidden = hide({distribution}, 5000, d, stream);
        const SlicedResult result = sliced_rotation(hidden.x, stream);
        CHECK(std::abs(arma::dot(result.q.col(0), hidden.axes.col(0))) > 0.99);
        CHECK(result.distance(0) > 5.0 * result.distance(1));
      }
}

TEST_CASE("three hidden directions are found, before the normal ones") {
  RandomStream stream(Seed{62}, Purpose::test);
  const Hidden hidden = hide({Source::bimodal, Source::exponential, Source::uniform}, 5000, 10, stream);
  const SlicedResult result = sliced_rotation(hidden.x, stream);
  const arma::mat cosines = arma::abs(hidden.axes.head_cols(3).t() * result.q.head_cols(3));
  CHECK(arma::max(cosines, 0).min() > 0.99);
  CHECK(arma::max(cosines, 1).min() > 0.99);
}

TEST_CASE("normal data show no more than sampling noise") {
  for (const arma::uword d : {1, 5, 10}) {
    RandomStream stream(Seed{63}, Purpose::test);
    const arma::mat x = random_normal(5000, d, stream);
    const SlicedResult result = sliced_rotation(x, stream);
    CHECK(testing::is_orthogonal(result.q));
    CHECK(result.distance.max() < 0.006);  // the weakest distribution above gives 0.027
  }
}

TEST_CASE("distances are those of the projections, in decreasing order") {
  RandomStream stream(Seed{64}, Purpose::test);
  // Neither centred nor white: the distances count both.
  const arma::mat x = 1.3 * hide({Source::laplace}, 1001, 4, stream).x + 0.2;
  const SlicedResult result = sliced_rotation(x, stream, {.max_rows = 0});
  CHECK(result.distance.is_sorted("descend"));
  for (arma::uword k = 0; k < 4; ++k)
    CHECK(testing::relative_error(result.distance(k), reference_distance(x * result.q.col(k))) < 1e-14);
}

TEST_CASE("no small turn of any plane improves a converged result") {
  RandomStream stream(Seed{65}, Purpose::test);
  const arma::mat x = testing::independent_sources(2000, 4, stream) * random_rotation(4, stream);
  const SlicedResult result = sliced_rotation(x, stream, {.max_iterations = 500, .tolerance = 1e-9});
  CHECK(result.converged);
  const double summit = reference_objective(x, result.q);
  for (arma::uword j = 0; j < 4; ++j)
    for (arma::uword k = 0; k < j; ++k)
      for (const double angle : {-0.02, -0.005, 0.005, 0.02}) {
        arma::mat turn = arma::eye(4, 4);
        turn(j, j) = turn(k, k) = std::cos(angle);
        turn(j, k) = std::sin(angle);
        turn(k, j) = -turn(j, k);
        CHECK(reference_objective(x, result.q * turn) < summit + 1e-7);
      }
}

TEST_CASE("the ascent never ends below its start, and more iterations do not end lower") {
  RandomStream stream(Seed{66}, Purpose::test);
  const arma::mat x = hide({Source::uniform, Source::laplace}, 2000, 6, stream).x;
  double before = 0.0;
  for (const int limit : {0, 1, 2, 5, 20}) {
    RandomStream start(Seed{67}, Purpose::slices);
    const SlicedResult result = sliced_rotation(x, start, {.max_iterations = limit, .tolerance = 0.0});
    CHECK(result.iterations <= limit);
    if (limit < 5) CHECK_FALSE(result.converged);
    CHECK(arma::accu(result.distance) >= before);
    before = arma::accu(result.distance);
  }
}

TEST_CASE("few rows, one column and equal rows are taken; overflow is refused") {
  RandomStream stream(Seed{68}, Purpose::test);
  for (const arma::mat& x : {arma::mat(random_normal(1, 3, stream)), arma::mat(random_normal(3, 7, stream)),
                             arma::mat(100, 3, arma::fill::ones), arma::mat(random_normal(50, 1, stream))}) {
    const SlicedResult result = sliced_rotation(x, stream);
    CHECK(testing::is_orthogonal(result.q));
    CHECK(result.distance.is_finite());
  }
  CHECK_THROWS_AS(sliced_rotation(1e200 * random_normal(50, 3, stream), stream), NumericalError);
}
