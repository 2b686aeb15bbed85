#include <cmath>
#include <string>
#include <vector>

#include <armadillo>
#include <boost/math/distributions/students_t.hpp>
#include <doctest/doctest.h>

#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/data/generate.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;

struct Fit {
  std::string name;
  Flow flow;
};

/// RBIG and GF with default options, but for GF's epochs (0: the default), which take most of the time.
std::vector<Fit> fits(const arma::mat& x, std::size_t epochs = 20) {
  return {{"rbig", fit_rbig(x, {.seed = Seed{1}, .threads = 2}).flow},
          {"gf", fit_gf(x, {.epochs = epochs, .seed = Seed{1}, .threads = 2}).flow}};
}

/// The most ranges of a column by which a draw lies beyond its rows.
double farthest(const arma::mat& x, const arma::mat& drawn) {
  const arma::rowvec low = arma::min(x, 0), high = arma::max(x, 0);
  return arma::max(arma::max(low - arma::min(drawn, 0), arma::max(drawn, 0) - high) / (high - low));
}

/// Points at `distance` standard deviations from the mean, in directions of the seed's own.
arma::mat on_rays(const arma::mat& x, double distance) {
  RandomStream stream(Seed{5}, Purpose::test);
  arma::mat points = distance * arma::normalise(random_normal(40, x.n_cols, stream), 2, 1);
  points.each_row() %= arma::stddev(x, 1, 0);
  points.each_row() += arma::mean(x, 0);
  return points;
}

/// A column that a normal one depends on: of Student's t with 3 degrees of freedom, or Pareto with index 2. At evenly
/// spaced probabilities, in an order of the seed's own: chance alone would move the outermost quantiles by a tenth.
arma::mat heavy_rows(bool pareto, std::size_t n) {
  RandomStream stream(Seed{11}, Purpose::test);
  const arma::mat noise = random_normal(n, 1, stream);
  const std::vector<std::size_t> order = permutation(n, stream);
  const boost::math::students_t t3(3);
  arma::mat x(n, 2);
  for (arma::uword i = 0; i < n; ++i) {
    const double p = (static_cast<double>(order[i]) + 0.5) / static_cast<double>(n);
    x(i, 0) = pareto ? 1 / std::sqrt(1 - p) : boost::math::quantile(t3, p);
    x(i, 1) = 0.5 * normal_quantile(p) + noise[i];
  }
  return x;
}

}  // namespace

TEST_CASE("draws of default models stay within the rows' range, widened by one range on each side") {
  for (const char* name : {"gaussian", "two-spirals", "checkerboard", "rotated-uniform"}) {
    CAPTURE(name);
    const arma::mat x = generate(name, 1500, 2, Seed{3}).x;
    for (const Fit& fit : fits(x)) {
      CAPTURE(fit.name);
      std::size_t redrawn = 0;
      const arma::mat drawn = sample(fit.flow, 50'000, Seed{4}, {.threads = 2}, &redrawn);
      CHECK(redrawn == 0);
      CHECK(farthest(x, drawn) < 1);
      // And the bulk is where the rows are.
      CHECK(arma::max(arma::abs(arma::mean(drawn, 0) - arma::mean(x, 0)) / arma::stddev(x)) < 0.2);
      CHECK(arma::max(arma::abs(arma::stddev(drawn) / arma::stddev(x) - 1)) < 0.2);
    }
  }
}

TEST_CASE("beyond the rows the density falls and the inverse is exact, to a million standard deviations") {
  for (const char* name : {"gaussian", "moons"}) {
    CAPTURE(name);
    const arma::mat x = generate(name, 1000, 2, Seed{6}).x;
    for (const Fit& fit : fits(x, 10)) {
      CAPTURE(fit.name);
      arma::vec nearer = log_density(fit.flow, on_rays(x, 10));
      for (const double distance : {1e2, 1e3, 1e4, 1e5, 1e6}) {
        CAPTURE(distance);
        const arma::mat points = on_rays(x, distance);
        const arma::vec log_p = log_density(fit.flow, points);
        // At least as an exponential tail: ten times as far, ten times as low, but for what bends on the way.
        CHECK(arma::min(log_p / nearer) > (distance < 1e3 ? 2 : 7));
        CHECK(arma::abs(inverse(fit.flow, forward(fit.flow, points).z) / points - 1).max() < 1e-8);
        nearer = log_p;
      }
    }
  }
}

TEST_CASE("heavy tails are drawn as heavy as they are") {
  for (const bool pareto : {false, true}) {
    CAPTURE(pareto);
    const arma::mat x = heavy_rows(pareto, 10'000);
    for (const Fit& fit : fits(x, 0)) {
      CAPTURE(fit.name);
      const arma::mat drawn = sample(fit.flow, 100'000, Seed{7}, {.threads = 2});
      const arma::vec tails = arma::quantile(drawn.col(0), arma::vec{0.001, 0.999});
      CHECK(std::abs(tails[1] / (pareto ? 31.62 : 10.21) - 1) < 0.15);
      CHECK(std::abs(tails[0] / (pareto ? 1.0005 : -10.21) - 1) < 0.15);
    }
  }
}

TEST_CASE("draws that exceed the largest double are drawn again, and counted") {
  // The paper's layer, with one kernel, a dozen times: beyond |z| = 3 or so the inverse squares z at each.
  const LogisticMixture one{arma::mat{0.0}, arma::mat{std::log(0.6)}, {}};
  const Flow flow{1, std::vector<Layer>(14, Layer{Identity{}, one})};
  std::size_t redrawn = 0, again = 0;
  const arma::mat drawn = sample(flow, 20'000, Seed{8}, {.threads = 1}, &redrawn);
  CHECK(drawn.is_finite());
  CHECK(redrawn > 0);
  const arma::mat same = sample(flow, 20'000, Seed{8}, {.threads = 3}, &again);
  CHECK(again == redrawn);
  CHECK(arma::approx_equal(drawn, same, "absdiff", 0.0));
}
