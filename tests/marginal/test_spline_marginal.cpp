#include <cmath>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/marginal/spline_marginal.hpp"
#include "gaussianize/math/normal.hpp"

#include "marginal/columns.hpp"
#include "marginal/splines.hpp"
#include "support/closeness.hpp"
#include "support/statistics.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

arma::mat three_columns(std::size_t n) {
  arma::mat x(n, 3);
  x.col(0) = arma::vec(normal_column(n, 1));
  x.col(1) = arma::vec(exponential_column(n, 2));
  x.col(2) = arma::vec(cauchy_column(n, 3));
  return x;
}

}  // namespace

TEST_CASE("forward maps every column by its spline and adds the logs of the slopes") {
  const arma::mat x = three_columns(700);
  SplineMarginal marginal = fit_kde(x);
  marginal.columns[1] = blended_with(marginal.columns[1], 0.3, 1, 2);
  arma::mat y = x;
  arma::vec log_det(x.n_rows);
  log_det.fill(0.5);
  forward(marginal, y, log_det);
  for (arma::uword i = 0; i < x.n_rows; ++i) {
    double expected = 0.5;
    for (arma::uword d = 0; d < 3; ++d) {
      CHECK(y(i, d) == value_at(marginal.columns[d], x(i, d)));
      expected += std::log(slope_at(marginal.columns[d], x(i, d)));
    }
    CHECK(absolute_error(log_det[i], expected) < 1e-14);
  }
  arma::mat back = y;
  inverse(marginal, back);
  CHECK(arma::abs(back - x).max() < 1e-7);
  for (arma::uword i = 0; i < x.n_rows; ++i)
    for (arma::uword d = 0; d < 3; ++d) CHECK(back(i, d) == inverse_at(marginal.columns[d], y(i, d)));
}

TEST_CASE("new rows far from the training data have finite images and log determinants") {
  const SplineMarginal marginal = fit_kde(three_columns(200));
  arma::mat x(4, 3);
  x.row(0).fill(-1e8);
  x.row(1).fill(1e8);
  x.row(2).fill(1e-300);
  x.row(3).fill(-1e3);
  arma::vec log_det(4, arma::fill::zeros);
  forward(marginal, x, log_det);
  CHECK(x.is_finite());
  CHECK(log_det.is_finite());
  CHECK(x.row(0).max() < -100);
  CHECK(x.row(1).min() > 100);
}

TEST_CASE("what is mapped is normal") {
  arma::mat y = three_columns(5000);
  const SplineMarginal marginal = fit_kde(y);
  arma::vec log_det(y.n_rows, arma::fill::zeros);
  forward(marginal, y, log_det);
  // Nearer than a sample would be: the map follows these very rows. (The exponential distribution's edge is smoothed
  // out.)
  for (const arma::uword d : {0, 2}) CHECK(kolmogorov_statistic({y.begin_col(d), y.end_col(d)}, normal_cdf) < 1);
}
