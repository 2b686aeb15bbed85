#include <cmath>
#include <limits>
#include <string>

#include <armadillo>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/affine.hpp"

#include "marginal/columns.hpp"
#include "support/laws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

using Fifty = boost::multiprecision::cpp_bin_float_50;

struct Moments {
  double mean = 0.0, deviation = 0.0;
};

/// Mean and standard deviation (divisor n) in fifty digits, of doubles of any size.
Moments exact_moments(const arma::vec& x) {
  Fifty sum = 0, squares = 0;
  for (const double value : x) sum += value;
  const Fifty mean = sum / x.n_elem;
  for (const double value : x) squares += (value - mean) * (value - mean);
  return {static_cast<double>(mean), static_cast<double>(Fifty(sqrt(Fifty(squares / x.n_elem))))};
}

void check_against_exact(const arma::vec& x, double tolerance) {
  const AffineMarginal a = fit_affine(x);
  const Moments exact = exact_moments(x);
  CHECK(std::abs(a.shift[0] - exact.mean) <= tolerance * exact.deviation + 4e-16 * std::abs(exact.mean));
  CHECK(relative_error(a.scale[0], exact.deviation) < tolerance);
}

}  // namespace

TEST_CASE("shift and scale are the mean and the standard deviation") {
  for (const double offset : {0.0, 1.0, -1e3, 1e8})
    for (const double unit : {1.0, 1e-200, 1e200, 1e-3}) {
      CAPTURE(offset);
      CAPTURE(unit);
      const arma::vec x = unit * (offset + arma::vec(normal_column(1000, 1)));
      check_against_exact(x, 1e-13);
    }
  check_against_exact(arma::vec{0, 1}, 1e-15);
  check_against_exact(arma::vec(cauchy_column(5000, 2)), 1e-13);
  check_against_exact(arma::vec(with_first(normal_column(100, 3), 1e300)), 1e-13);
}

TEST_CASE("values near the largest double neither overflow nor lose digits") {
  constexpr double most = std::numeric_limits<double>::max();
  for (const arma::vec& x :
       {arma::vec{most, -most}, arma::vec{-most, most, most, most}, arma::vec{most, most, most, 0.5 * most},
        arma::vec{-most, 1, 2, most}, arma::vec(1e307 * arma::vec(normal_column(50, 4)))}) {
    check_against_exact(x, 1e-14);
    const AffineMarginal a = fit_affine(x);
    arma::mat z = x;
    arma::vec log_det(x.n_elem, arma::fill::zeros);
    forward(a, z, log_det);
    REQUIRE(z.is_finite());
    CHECK(std::abs(arma::mean(z.col(0))) < 1e-14);
    CHECK(relative_error(arma::stddev(z.col(0), 1), 1) < 1e-14);
    CHECK(relative_error(log_det[0], -std::log(a.scale[0])) < 1e-15);
    inverse(a, z);
    for (arma::uword i = 0; i < x.n_elem; ++i) {
      // The largest double may come back as the next value after it, which is none.
      const double back = std::isinf(z[i]) ? std::copysign(most, z[i]) : z[i];
      CHECK(std::abs(back / 4 - x[i] / 4) <= 1e-15 * (a.scale[0] / 4 + std::abs(x[i] / 4)));
    }
  }
}

TEST_CASE("subnormal columns have a positive scale, and finite images") {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  arma::vec one_in_many(400, arma::fill::zeros);
  one_in_many[7] = least;
  for (const arma::vec& x :
       {arma::vec{0, least}, arma::vec{0, 1e-310, 3e-310, -2e-310}, arma::vec{1e-308, 2e-308, 4e-308}, one_in_many}) {
    const AffineMarginal a = fit_affine(x);
    CHECK(a.scale[0] > 0);
    arma::mat z = x;
    arma::vec log_det(x.n_elem, arma::fill::zeros);
    forward(a, z, log_det);
    CHECK(z.is_finite());
    CHECK(log_det[0] == -std::log(a.scale[0]));
    CHECK(log_det[0] > 700);
    inverse(a, z);
    CHECK(arma::abs(z - x).max() <= least);
  }
}

TEST_CASE("a constant column is a DataError that names it, whatever its rounding") {
  for (const double value : {0.0, 0.1, 1.0 / 3, 1e308, 5e-324, -7.3e10})
    for (const arma::uword n : {2, 3, 7, 10, 1000}) {
      arma::mat x(n, 3);
      x.col(0) = arma::linspace(0, 1, n);
      x.col(1) = arma::linspace(0, 1, n);
      x.col(2).fill(value);
      std::string message;
      try {
        fit_affine(x);
      } catch (const DataError& error) {
        message = error.what();
      }
      CHECK(message.starts_with("column 2 is constant"));
    }
}

TEST_CASE("a spread of one rounding is no constant") {
  for (const double value : {1.0, 0.1, 1e300}) {
    const arma::vec x{value, std::nextafter(value, HUGE_VAL)};
    const AffineMarginal a = fit_affine(x);
    CHECK(a.scale[0] > 0);
    CHECK(relative_error(a.scale[0], (x[1] - x[0]) / 2) < 1e-12);
  }
}

TEST_CASE("fit_affine names the column and row of a value that is not finite") {
  for (const double bad : {arma::datum::nan, arma::datum::inf, -arma::datum::inf}) {
    arma::mat x(5, 2);
    x.col(0) = arma::linspace(0, 1, 5);
    x.col(1) = arma::linspace(0, 1, 5);
    x(3, 1) = bad;
    std::string message;
    try {
      fit_affine(x);
    } catch (const DataError& error) {
      message = error.what();
    }
    CHECK(message.starts_with("column 1: row 3 is "));
  }
  CHECK_THROWS_AS(fit_affine(arma::mat(1, 2, arma::fill::ones)), std::invalid_argument);
}

TEST_CASE("forward standardises, its log-determinant is −Σ log scale exactly, and inverse undoes it") {
  arma::mat x(300, 3);
  x.col(0) = 5 + 1e-3 * arma::vec(normal_column(300, 5));
  x.col(1) = -1e6 * arma::vec(exponential_column(300, 6));
  x.col(2) = arma::vec(uniform_column(300, 7));
  const AffineMarginal a = fit_affine(x);
  arma::mat z = x;
  arma::vec log_det(300);
  log_det.fill(2.5);
  forward(a, z, log_det);
  double total = 0;
  for (arma::uword d = 0; d < 3; ++d) {
    total -= std::log(a.scale[d]);
    for (arma::uword i = 0; i < 300; ++i) CHECK(z(i, d) == (x(i, d) - a.shift[d]) / a.scale[d]);
    CHECK(std::abs(arma::mean(z.col(d))) < 1e-12);
    CHECK(relative_error(arma::stddev(z.col(d), 1), 1) < 1e-14);
  }
  for (const double value : log_det) CHECK(value == 2.5 + total);
  inverse(a, z);
  for (arma::uword d = 0; d < 3; ++d)
    CHECK(arma::abs(z.col(d) - x.col(d)).max() <= 4e-16 * (arma::abs(x.col(d)).max() + a.scale[d]));
}

TEST_CASE("a change of units by a power of two changes nothing but shift and scale") {
  const arma::vec x = arma::vec(normal_column(100, 8)) + 3;
  const AffineMarginal a = fit_affine(x), b = fit_affine(arma::vec(x * 0x1p300));
  CHECK(b.shift[0] == a.shift[0] * 0x1p300);
  CHECK(b.scale[0] == a.scale[0] * 0x1p300);
}
