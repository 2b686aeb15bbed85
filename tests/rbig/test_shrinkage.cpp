#include <cmath>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rbig/detail/shrinkage.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

/// (S1), as it is written.
double likelihood(MonotoneSpline spline, double shrinkage, const arma::vec& x) {
  spline.shrinkage = shrinkage;
  arma::vec z(x.n_elem), slope(x.n_elem);
  forward(spline, x.memptr(), z.memptr(), slope.memptr(), x.n_elem);
  return arma::mean(arma::log(slope) - 0.5 * arma::square(z));
}

}  // namespace

TEST_CASE("best_shrinkage maximises the held-out likelihood") {
  RandomStream stream(Seed{1}, Purpose::test);
  const arma::vec training = random_normal(100, 1, stream);
  const arma::vec held_out = random_normal(1000, 1, stream);
  const MonotoneSpline spline = kde_spline(training.memptr(), training.n_elem, 0.15);
  const double best = best_shrinkage(spline, held_out.memptr(), held_out.n_elem, 0.0);
  CHECK(best > 0.0);
  CHECK(best <= 1.0);
  const double top = likelihood(spline, best, held_out);
  for (double other = 0.0; other <= 1.0; other += 0.01) CHECK(likelihood(spline, other, held_out) <= top + 1e-9);
}

TEST_CASE("normal data are shrunk nearly all the way, bimodal data hardly at all") {
  RandomStream stream(Seed{2}, Purpose::test);
  arma::vec normal = random_normal(2000, 1, stream);
  const auto shrinkage = [](const arma::vec& x) {
    MonotoneSpline spline =
        kde_spline(x.memptr(), x.n_elem, select_bandwidth(x.memptr(), x.n_elem, BandwidthRule::rule_of_thumb));
    spline.shift = arma::mean(x);
    spline.scale = arma::stddev(x);
    return cross_fitted_shrinkage(spline, x.memptr(), x.n_elem, 1e-3, TailFit{});
  };
  CHECK(shrinkage(normal) > 0.6);
  for (arma::uword i = 0; i < normal.n_elem; ++i) normal[i] = 0.2 * normal[i] + (i % 2 == 0 ? -1 : 1);
  CHECK(shrinkage(normal) < 0.1);
}

TEST_CASE("the minimum shrinkage is kept, and used for few rows") {
  RandomStream stream(Seed{3}, Purpose::test);
  const arma::vec x = random_normal(12, 1, stream);
  const MonotoneSpline spline = kde_spline(x.memptr(), x.n_elem, 0.5);
  CHECK(cross_fitted_shrinkage(spline, x.memptr(), x.n_elem, 0.25, std::nullopt) == 0.25);
}
