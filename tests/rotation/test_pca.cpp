#include <algorithm>
#include <cmath>
#include <vector>

#include <armadillo>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <doctest/doctest.h>

#include "gaussianize/rotation/detail/covariance.hpp"
#include "gaussianize/rotation/detail/orthogonal.hpp"
#include "gaussianize/rotation/pca.hpp"

#include "rotation/checks.hpp"
#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

// Variances of 1e±300 times 1e±300 need their digits: small axes lie that far below large ones.
using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<1400>>;
using RealMatrix = std::vector<std::vector<Real>>;

RealMatrix exact_covariance(const arma::mat& x) {
  const arma::uword d = x.n_cols;
  std::vector<Real> mean(d, Real(0));
  for (arma::uword j = 0; j < d; ++j) {
    for (arma::uword i = 0; i < x.n_rows; ++i) mean[j] += Real(x(i, j));
    mean[j] /= x.n_rows;
  }
  RealMatrix c(d, std::vector<Real>(d, Real(0)));
  for (arma::uword a = 0; a < d; ++a)
    for (arma::uword b = 0; b < d; ++b)
      for (arma::uword i = 0; i < x.n_rows; ++i) c[a][b] += (Real(x(i, a)) - mean[a]) * (Real(x(i, b)) - mean[b]);
  return c;
}

/// Turns the plane (p, q) so that c[p][q] vanishes [Golub & Van Loan, §8.5].
void rotate_plane(RealMatrix& c, RealMatrix& v, std::size_t p, std::size_t q) {
  if (c[p][q] == 0) return;
  const Real tau = (c[q][q] - c[p][p]) / (2 * c[p][q]);
  const Real t = (tau >= 0 ? Real(1) : Real(-1)) / (abs(tau) + sqrt(1 + tau * tau));
  const Real cs = 1 / sqrt(1 + t * t), sn = t * cs;
  const std::size_t d = c.size();
  const auto turn = [&](Real& a, Real& b) {
    const Real old = a;
    a = cs * old - sn * b;
    b = sn * old + cs * b;
  };
  for (std::size_t k = 0; k < d; ++k) turn(c[k][p], c[k][q]);
  for (std::size_t k = 0; k < d; ++k) turn(c[p][k], c[q][k]);
  for (std::size_t k = 0; k < d; ++k) turn(v[k][p], v[k][q]);
}

/// Principal axes by Jacobi's method in 1400 digits, in order of decreasing variance, signs fixed.
arma::mat exact_axes(const arma::mat& x) {
  RealMatrix c = exact_covariance(x);
  const std::size_t d = c.size();
  RealMatrix v(d, std::vector<Real>(d, Real(0)));
  for (std::size_t k = 0; k < d; ++k) v[k][k] = 1;
  for (int sweep = 0; sweep < 12; ++sweep)
    for (std::size_t p = 0; p < d; ++p)
      for (std::size_t q = p + 1; q < d; ++q) rotate_plane(c, v, p, q);
  std::vector<std::size_t> order(d);
  for (std::size_t k = 0; k < d; ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return c[a][a] > c[b][b]; });
  arma::mat axes(d, d);
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t i = 0; i < d; ++i) axes(i, k) = static_cast<double>(v[i][order[k]]);
  detail::fix_signs(axes);
  return axes;
}

arma::mat scaled(arma::mat x, const arma::rowvec& scale) {
  x.each_row() %= scale;
  return x;
}

}  // namespace

TEST_CASE("pca_rotation agrees with the eigenvectors of arma::cov") {
  const arma::mat x = testing::lopsided_data(20000, 9, 31);
  arma::vec values;
  arma::mat vectors;
  arma::eig_sym(values, vectors, arma::cov(x, 1));
  vectors = arma::fliplr(vectors).eval();
  detail::fix_signs(vectors);
  const arma::mat q = pca_rotation(x);
  CHECK(arma::abs(q - vectors).max() < 1e-11);
  const arma::rowvec variances = arma::var(x * q);
  CHECK(arma::approx_equal(variances, arma::fliplr(values.t()), "reldiff", 1e-3));
  CHECK(variances.is_sorted("descend"));
}

TEST_CASE("pca_rotation is right however far the columns' scales are apart") {
  const arma::mat x = testing::lopsided_data(50, 4, 32);
  struct Case {
    arma::rowvec scale;
    double bound;
  };
  // Down to a ratio of 1e-3 the bound is that of a symmetric eigensolver, ε times the ratio of the variances.
  for (const Case& c : std::vector<Case>{{{1, 1, 1, 1}, 1e-13},
                                         {{1, 100, 1, 0.5}, 1e-10},
                                         {{1e-4, 1, 2e-4, 3}, 1e-13},
                                         {{1e-9, 1, 2e-10, 1e-8}, 1e-13},
                                         {{1e150, 2e150, 1e-150, 3e-150}, 1e-13},
                                         {{1e-150, 1e149, 1e-140, 1e150}, 1e-13},
                                         {{1e-150, 1e-150, 2e-150, 1e-150}, 1e-13},
                                         {{1e150, 1e150, 2e150, 1e150}, 1e-13}}) {
    CAPTURE(c.scale);
    const arma::mat y = scaled(x, c.scale);
    const arma::mat q = pca_rotation(y, 1);
    CHECK(testing::is_orthogonal(q));
    CHECK(arma::abs(q - exact_axes(y)).max() < c.bound);
  }
}

TEST_CASE("pca_rotation orders scales whose ratio has no double") {
  const arma::mat x = scaled(testing::lopsided_data(50, 4, 33), {1e-180, 1e200, 1e-170, 1e-160});
  CHECK(arma::abs(pca_rotation(x) - arma::mat{{0, 0, 0, 1}, {1, 0, 0, 0}, {0, 0, 1, 0}, {0, 1, 0, 0}}).max() < 1e-8);
}

TEST_CASE("a large mean does not cost precision") {
  arma::mat x = testing::lopsided_data(5000, 5, 34);
  x = arma::round(x * 1048576.0) / 1048576.0;  // so that adding 2²⁰ is exact
  CHECK(arma::abs(pca_rotation(x + 1048576.0) - pca_rotation(x)).max() < 1e-12);
}

TEST_CASE("pca_rotation works on fewer rows than columns") {
  const arma::mat x = testing::lopsided_data(5, 12, 35);
  const arma::mat q = pca_rotation(x);
  CHECK(testing::is_orthogonal(q));
  const arma::rowvec sd = arma::stddev(x * q, 1);
  CHECK(sd.head(4).min() > 1e-3);
  CHECK(sd.tail(8).max() < 1e-13 * sd(0) * 12);

  const arma::mat one_row = testing::lopsided_data(1, 3, 36);
  CHECK(testing::same_bytes(pca_rotation(one_row), arma::mat(arma::eye(3, 3))));
}

TEST_CASE("pca_rotation works on constant and repeated columns, in all scales") {
  arma::mat x = testing::lopsided_data(400, 6, 37);
  x.col(2).fill(0.1);
  x.col(4) = x.col(1);
  for (const double scale : {1.0, 1e-9}) {
    arma::mat y = x;
    y.col(5) *= scale;
    const arma::mat q = pca_rotation(y);
    CHECK(testing::is_orthogonal(q));
    const arma::rowvec sd = arma::stddev(y * q, 1);
    CHECK(sd.tail(2).max() < 1e-14 * 6);
    CHECK(sd(3) > 1e-2 * scale);
  }
}

TEST_CASE("covariance agrees with arma::cov") {
  const arma::mat x = testing::lopsided_data(9001, 6, 38);
  const detail::Covariance cov = detail::covariance(x, 2);
  CHECK(arma::approx_equal(cov.mean, arma::mean(x), "reldiff", 1e-13));
  CHECK(arma::approx_equal(cov.sd, arma::stddev(x, 1), "reldiff", 1e-12));
  CHECK(arma::approx_equal(cov.correlation, arma::cor(x), "absdiff", 1e-13));
}

TEST_CASE("spaced rows are distinct, in order, and symmetric about the middle") {
  for (const std::size_t n : {7, 100, 1001})
    for (const std::size_t count : {std::size_t{1}, std::size_t{5}, n - 1, n}) {
      std::size_t next = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = detail::spaced_row(i, count, n);
        CHECK(row >= next);
        CHECK(row < n);
        next = row + 1;
      }
    }
  CHECK(detail::spaced_row(0, 1, 101) == 50);
}
