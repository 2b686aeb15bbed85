#include <cmath>

#include <armadillo>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <doctest/doctest.h>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/estimate.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

RbigFit quick_fit(const arma::mat& x) {
  return fit_rbig(x, {.max_layers = 8, .report_rows = 0});
}

/// ∫ p over the line, cut at the flow's own quantiles so that no narrow peak is missed.
double mass_1d(const Flow& flow) {
  arma::mat z(401, 1);
  z.col(0) = arma::linspace(-8.2, 8.2, 401);
  const arma::mat cut = inverse(flow, z);
  const auto density = [&](double x) {
    const arma::mat row(1, 1, arma::fill::value(x));
    return std::exp(log_density(flow, row, {.threads = 1})[0]);
  };
  double mass = 0;
  for (arma::uword i = 0; i + 1 < cut.n_rows; ++i)
    mass += boost::math::quadrature::gauss_kronrod<double, 15>::integrate(density, cut[i], cut[i + 1], 4, 1e-9);
  return mass;
}

/// ∫∫ p by the trapezoidal rule. The grid is even where the first layer has mapped each column by its own distribution,
/// so it is as fine in x as the columns' narrowest features: with y = T₁(x), dx = dy/|det ∂T₁/∂x|.
double mass_2d(const Flow& flow) {
  constexpr std::size_t points = 801;
  const Flow first{2, {flow.layers[0], flow.layers[1]}};
  const arma::vec grid = arma::linspace(-9, 9, points);
  const double step = grid[1] - grid[0];
  double mass = 0;
  arma::mat y(points, 2);
  y.col(1) = grid;
  for (const double a : grid) {
    y.col(0).fill(a);
    const arma::mat x = inverse(first, y);
    mass += arma::accu(arma::exp(log_density(flow, x) - forward(first, x).log_det));
  }
  return mass * step * step;
}

}  // namespace

TEST_CASE("a fitted density integrates to one in one dimension") {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const arma::mat x = draw(KnownDistribution::gaussian_copula, 500, 2, Seed{seed}).x.col(seed % 2);
    CHECK(std::abs(mass_1d(quick_fit(x).flow) - 1) < 1e-6);
  }
  RandomStream stream(Seed{4}, Purpose::test);
  arma::mat bimodal = random_normal(400, 1, stream);
  bimodal.tail_rows(200) += 12;
  CHECK(std::abs(mass_1d(quick_fit(bimodal).flow) - 1) < 1e-6);
}

TEST_CASE("a fitted density integrates to one in two dimensions") {
  for (const KnownDistribution distribution :
       {KnownDistribution::gaussian, KnownDistribution::gaussian_copula, KnownDistribution::sine_chain}) {
    CAPTURE(name(distribution));
    const arma::mat x = draw(distribution, 1500, 2, Seed{5}).x;
    CHECK(std::abs(mass_2d(quick_fit(x).flow) - 1) < 1e-4);
  }
}

TEST_CASE("the log-determinant is that of the numeric Jacobian") {
  for (const std::size_t dimension : {1, 2, 3, 6}) {
    const arma::mat x = draw(KnownDistribution::sine_chain, 800, dimension, Seed{6}).x;
    const Flow flow = quick_fit(x).flow;
    const arma::mat fresh = draw(KnownDistribution::sine_chain, 40, dimension, Seed{7}).x;
    const arma::vec log_det = forward(flow, fresh).log_det;
    const arma::rowvec scale = arma::stddev(x);
    for (arma::uword i = 0; i < fresh.n_rows; ++i) {
      arma::mat jacobian(dimension, dimension);
      for (arma::uword d = 0; d < dimension; ++d) {
        // Fourth-order central difference: rows are x ± h, x ± 2h in coordinate d.
        const double h = 2e-5 * scale[d];
        arma::mat moved(4, dimension);
        moved.each_row() = fresh.row(i);
        moved.col(d) += arma::vec{h, -h, 2 * h, -2 * h};
        const arma::mat z = forward(flow, moved).z;
        jacobian.row(d) = (8 * (z.row(0) - z.row(1)) - (z.row(2) - z.row(3))) / (12 * h);
      }
      double numeric = 0;
      double sign = 0;
      arma::log_det(numeric, sign, jacobian);
      CHECK(testing::relative_error(log_det[i], numeric) < 1e-7);
    }
  }
}

TEST_CASE("inverse undoes forward on new rows, far out rows and far out Gaussian values") {
  const arma::mat x = draw(KnownDistribution::sine_chain, 2000, 4, Seed{8}).x;
  const Flow flow = quick_fit(x).flow;
  // Rotations mix columns: what is rounded is the largest entry of a row, counted in standard deviations.
  const arma::rowvec scale = arma::stddev(x);
  const auto worst = [&](const arma::mat& rows) {
    arma::mat error = inverse(flow, forward(flow, rows).z) - rows, size = rows;
    error.each_row() /= scale;
    size.each_row() /= scale;
    const arma::vec largest = 1 + arma::max(arma::abs(size), 1);
    error.each_col() /= largest;
    return arma::abs(error).max();
  };
  CHECK(worst(draw(KnownDistribution::sine_chain, 2000, 4, Seed{9}).x) < 1e-11);

  arma::mat far = draw(KnownDistribution::sine_chain, 64, 4, Seed{10}).x;
  for (arma::uword i = 0; i < far.n_rows; ++i) far(i, i % 4) += (i % 8 < 4 ? 1e6 : -1e6) * scale[i % 4];
  CHECK(log_density(flow, far).is_finite());
  CHECK(worst(far) < 1e-11);

  RandomStream stream(Seed{11}, Purpose::test);
  arma::mat z = random_normal(500, 4, stream);
  for (arma::uword i = 0; i < z.n_rows; ++i) z.row(i) *= 8 / arma::norm(z.row(i), "inf");
  const arma::mat drawn = inverse(flow, z);
  CHECK(drawn.is_finite());
  CHECK(arma::abs(forward(flow, drawn).z - z).max() < 1e-8);
}

TEST_CASE("a change of units changes the log density by exactly its constant") {
  for (const RotationKind kind : {RotationKind::pca, RotationKind::ica, RotationKind::random, RotationKind::automatic})
    for (const std::uint64_t seed : {12, 13, 14}) {
      CAPTURE(name(kind));
      CAPTURE(seed);
      const arma::mat x = draw(KnownDistribution::sine_chain, 1500, 3, Seed{seed}).x;
      const arma::mat fresh = draw(KnownDistribution::sine_chain, 500, 3, Seed{100 + seed}).x;
      const RbigOptions options{.rotation = kind, .max_layers = 20, .report_rows = 0};
      const arma::vec log_p = log_density(fit_rbig(x, options).flow, fresh);
      const arma::vec stretched = log_density(fit_rbig(1000 * x + 51, options).flow, 1000 * fresh + 51);
      CHECK(arma::abs(stretched + 3 * std::log(1000.0) - log_p).max() < 1e-9);
    }
}

TEST_CASE("the held-out mean log density never exceeds the truth by more than 4 standard errors") {
  for (const KnownDistribution distribution :
       {KnownDistribution::gaussian, KnownDistribution::gaussian_copula, KnownDistribution::sine_chain})
    for (const RotationKind kind : {RotationKind::pca, RotationKind::random, RotationKind::automatic})
      for (const BandwidthRule rule :
           {BandwidthRule::rule_of_thumb, BandwidthRule::sheather_jones, BandwidthRule::likelihood}) {
        CAPTURE(name(distribution));
        CAPTURE(name(kind));
        const KnownSample training = draw(distribution, 1000, 3, Seed{14});
        const KnownSample test = draw(distribution, 4000, 3, Seed{15});
        const RbigFit fit = fit_rbig(
            training.x,
            {.rotation = kind, .first_bandwidth = rule, .bandwidth = rule, .max_layers = 12, .report_rows = 0});
        const Estimate gain = mean_estimate(log_density(fit.flow, test.x) - test.log_density);
        CHECK(gain.value < 4 * gain.standard_error);
        // And it is a good estimate: within 0.6 nats, where the best Gaussian misses the copula by more than 1.
        CHECK(gain.value > -0.6);
      }
}
