#include <cmath>
#include <limits>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rotation/random.hpp"

#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bytes;

namespace {

arma::mat skewed_rows(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  RandomStream stream(Seed{seed}, Purpose::test);
  arma::mat x = random_normal(rows, columns, stream);
  for (arma::uword d = 0; d < columns; d += 2) x.col(d) = arma::exp(0.7 * x.col(d));
  for (arma::uword d = 1; d < columns; ++d) x.col(d) += 0.5 * x.col(d - 1);
  return x;
}

/// Affine, then two rotated kernel layers, blended so that every slope is bounded below.
Flow small_flow(const arma::mat& x) {
  RandomStream stream(Seed{3}, Purpose::rotation);
  Flow flow{x.n_cols, {{Identity{}, fit_affine(x)}}};
  arma::mat y = x;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  forward(flow.layers[0], y, log_det);
  for (int l = 0; l < 2; ++l) {
    Layer layer{Orthogonal{random_rotation(x.n_cols, stream)}, SplineMarginal{}};
    SplineMarginal marginal = fit_kde(forward(layer.rotation, y));
    for (MonotoneSpline& spline : marginal.columns) spline.shrinkage = 0.01;
    layer.marginal = marginal;
    forward(layer, y, log_det);
    flow.layers.push_back(layer);
  }
  return flow;
}

}  // namespace

TEST_CASE("forward, inverse, log_density and sample give the same bytes for any number of threads") {
  const arma::mat x = skewed_rows(1500, 4, 1);
  const Flow flow = small_flow(x);
  const FlowPass pass = forward(flow, x, {.threads = 1});
  const arma::mat back = inverse(flow, pass.z, {.threads = 1});
  const arma::vec log_p = log_density(flow, x, {.threads = 1});
  const arma::mat drawn = sample(flow, 1000, Seed{9}, {.threads = 1});
  for (const int threads : {2, 3, 8}) {
    CAPTURE(threads);
    const FlowPass again = forward(flow, x, {.threads = threads});
    CHECK(same_bytes(again.z, pass.z));
    CHECK(same_bytes(again.log_det, pass.log_det));
    CHECK(same_bytes(inverse(flow, pass.z, {.threads = threads}), back));
    CHECK(same_bytes(log_density(flow, x, {.threads = threads}), log_p));
    CHECK(same_bytes(sample(flow, 1000, Seed{9}, {.threads = threads}), drawn));
  }
}

TEST_CASE("log density is the normal density of z times the Jacobian") {
  const arma::mat x = skewed_rows(300, 3, 2);
  const Flow flow = small_flow(x);
  const FlowPass pass = forward(flow, x);
  const arma::vec log_p = log_density(flow, x);
  for (arma::uword i = 0; i < x.n_rows; ++i) {
    double expected = pass.log_det[i];
    for (arma::uword d = 0; d < x.n_cols; ++d) expected += log_normal_pdf(pass.z(i, d));
    CHECK(testing::relative_error(log_p[i], expected) < 1e-14);
  }
}

TEST_CASE("the layers one by one are the flow") {
  const arma::mat x = skewed_rows(200, 3, 4);
  const Flow flow = small_flow(x);
  arma::mat y = x;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  for (const Layer& layer : flow.layers) forward(layer, y, log_det);
  const FlowPass pass = forward(flow, x);
  CHECK(same_bytes(pass.z, y));
  CHECK(same_bytes(pass.log_det, log_det));
}

TEST_CASE("compose is one flow after the other") {
  const arma::mat x = skewed_rows(400, 3, 5);
  const Flow first = small_flow(x);
  const arma::mat y = forward(first, x).z;
  const Flow second = small_flow(y);
  const Flow both = compose(first, second);
  CHECK(both.layers.size() == first.layers.size() + second.layers.size());
  const FlowPass one = forward(both, x);
  const FlowPass two = forward(second, y);
  CHECK(arma::abs(one.z - two.z).max() < 1e-12);
  CHECK(arma::abs(one.log_det - forward(first, x).log_det - two.log_det).max() < 1e-11);
  CHECK_THROWS_AS(compose(first, Flow{2, {}}), std::invalid_argument);
}

TEST_CASE("a flow without layers is the standard normal distribution") {
  const Flow flow{2, {}};
  const arma::mat x = {{0.0, 0.0}, {1.0, -2.0}};
  const arma::vec log_p = log_density(flow, x);
  CHECK(testing::relative_error(log_p[0], 2 * log_normal_pdf(0)) < 1e-15);
  CHECK(testing::relative_error(log_p[1], 2 * log_normal_pdf(0) - 2.5) < 1e-15);
}

TEST_CASE("a longer sample begins with the shorter one's whole blocks") {
  const Flow flow = small_flow(skewed_rows(300, 3, 6));
  const arma::mat some = sample(flow, 512, Seed{1});
  const arma::mat more = sample(flow, 1000, Seed{1});
  CHECK(same_bytes(arma::mat(more.head_rows(512)), some));
  // The last, partial block holds the same draws too; its matrix products may round differently.
  CHECK(arma::abs(sample(flow, 700, Seed{1}) - more.head_rows(700)).max() < 1e-10);
  CHECK_FALSE(same_bytes(sample(flow, 512, Seed{2}), some));
}

TEST_CASE("sample follows the flow's own density") {
  const Flow flow = small_flow(skewed_rows(500, 2, 7));
  const arma::mat x = sample(flow, 20000, Seed{3});
  const arma::mat z = forward(flow, x).z;
  // Mapped back, the draws are standard normal: mean, covariance within 5 standard errors.
  CHECK(arma::abs(arma::mean(z)).max() < 5 / std::sqrt(20000.0));
  CHECK(arma::abs(arma::cov(z) - arma::eye(2, 2)).max() < 5 * std::sqrt(2.0 / 20000.0));
  // The shape of each column, and of a mixture of both; a uniform of the same mean and variance gives 8.
  for (const arma::vec& v : {arma::vec(z.col(0)), arma::vec(z.col(1)), arma::vec(z * arma::vec{0.6, 0.8})})
    CHECK(testing::kolmogorov_statistic({v.begin(), v.end()}, [](double t) { return normal_cdf(t); }) < 1.95);
}

TEST_CASE("mistakes are named") {
  const Flow flow = small_flow(skewed_rows(100, 3, 8));
  CHECK_THROWS_WITH_AS(forward(flow, arma::mat(5, 2, arma::fill::zeros)), doctest::Contains("2 columns and the flow 3"),
                       std::invalid_argument);
  arma::mat bad(5, 3, arma::fill::zeros);
  bad(3, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(log_density(flow, bad), doctest::Contains("row 3, column 1"), std::invalid_argument);
  CHECK_THROWS_AS(forward(Flow{}, bad), std::invalid_argument);
  Flow wrong = flow;
  wrong.layers[1].rotation = Orthogonal{arma::eye(2, 2)};
  CHECK_THROWS_WITH_AS(sample(wrong, 3, Seed{}), doctest::Contains("layer 1"), std::invalid_argument);
  CHECK_THROWS_AS(sample(flow, 10, Seed{}, {.threads = -1}), std::invalid_argument);
}

TEST_CASE("a row that overflows is reported with its layer, dimension and row") {
  const Flow flow{2, {{Identity{}, AffineMarginal{{0, 0}, {1, 1}}}, {Identity{}, AffineMarginal{{0, 0}, {1, 1e-300}}}}};
  arma::mat x(300, 2, arma::fill::zeros);
  x(290, 1) = 1e200;
  try {
    forward(flow, x);
    FAIL("no exception");
  } catch (const NumericalError& error) {
    CHECK(error.location().layer == 1);
    CHECK(error.location().dimension == 1);
    CHECK(error.location().row == 290);
  }
}

TEST_CASE("draws that overflow are drawn again, unless nearly all do") {
  // Backwards, the layer takes z times the largest double, which overflows for |z| > 1.
  const double scale = std::numeric_limits<double>::max();
  const Layer layer{Identity{}, AffineMarginal{{0}, {scale}}};
  const arma::mat x = sample(Flow{1, {layer}}, 20000, Seed{4});
  CHECK(x.is_finite());
  // What is left is N(0, 1) within (−1, 1); a uniform sample would give 4.4.
  const arma::vec z = x.col(0) / scale;
  const double below = normal_cdf(-1), within = normal_cdf(1) - below;
  const auto cdf = [&](double t) { return (normal_cdf(t) - below) / within; };
  CHECK(testing::kolmogorov_statistic({z.begin(), z.end()}, cdf) < 1.95);
  CHECK_THROWS_WITH_AS(sample(Flow{1, {layer, layer}}, 2000, Seed{4}), doctest::Contains("not usable"), NumericalError);
}

TEST_CASE("layers whose parts do not fit together are refused") {
  const AffineMarginal plain{arma::rowvec{0, 0}, arma::rowvec{1, 1}};
  const arma::mat x(3, 2, arma::fill::ones);
  const auto refused = [&](const Layer& layer) {
    CHECK_THROWS_AS(forward(Flow{2, {layer}}, x), std::invalid_argument);
  };
  refused({Orthogonal{arma::mat(2, 5, arma::fill::zeros)}, plain});
  refused({Identity{}, AffineMarginal{arma::rowvec{0, 0}, arma::rowvec()}});
  refused({Identity{}, SplineMarginal{std::vector<MonotoneSpline>(2)}});
  refused({Identity{}, LogisticMixture{arma::mat(3, 2, arma::fill::zeros), arma::mat(2, 2, arma::fill::zeros), {}}});
}

TEST_CASE("progress counts the rows, and a refusal cancels") {
  const Flow flow = small_flow(skewed_rows(100, 2, 9));
  const arma::mat x = skewed_rows(10000, 2, 10);
  std::size_t last = 0;
  const arma::vec with = log_density(flow, x, {.progress = [&](const Progress& p) {
                                       CHECK(p.done > last);
                                       CHECK(p.total == 10000);
                                       last = p.done;
                                       return true;
                                     }});
  CHECK(last == 10000);
  CHECK(same_bytes(with, log_density(flow, x)));
  CHECK_THROWS_AS(log_density(flow, x, {.progress = [](const Progress&) { return false; }}), Cancelled);
}
