#include <algorithm>
#include <cmath>
#include <string>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/normal.hpp"

#include "marginal/columns.hpp"
#include "marginal/direct.hpp"
#include "marginal/splines.hpp"
#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

double thumb(const Column& x) {
  return select_bandwidth(x.data(), x.size(), BandwidthRule::rule_of_thumb);
}

MonotoneSpline tabulate(const Column& x, double h) {
  return kde_spline(x.data(), x.size(), h);
}

double ulp(double x) {
  return std::nextafter(std::abs(x), HUGE_VAL) - std::abs(x);
}

/// Rows, points a few h from rows, and points up to 30 h from rows.
Column points_around(const Column& x, double h, std::size_t count, std::uint64_t seed) {
  RandomStream stream(Seed{seed}, Purpose::test);
  Column points;
  for (std::size_t i = 0; i < count; ++i) {
    const double reach[] = {0, 6, 60};
    points.push_back(x[stream.below(x.size())] + reach[i % 3] * h * (stream.uniform() - 0.5));
  }
  return points;
}

arma::mat shapes_matrix(std::size_t n) {
  arma::mat x(n, 6);
  const auto shapes = column_shapes(n, 70);
  for (std::size_t d = 0; d < x.n_cols; ++d) x.col(d) = arma::vec(shapes[d].x);
  return x;
}

std::string error_of(const arma::mat& x, const KdeOptions& options = {}) {
  try {
    fit_kde(x, options);
  } catch (const DataError& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace

TEST_CASE("the spline is within 1e-6 of the direct sum wherever the smaller tail is at least 1e-12") {
  for (const std::size_t n : {2UL, 3UL, 5UL, 20UL, 100UL, 1000UL, 5000UL})
    for (const NamedColumn& shape : column_shapes(n, 60 + n))
      for (const double factor : {0.1, 1.0, 4.0}) {
        const Column& x = shape.x;
        CAPTURE(n);
        CAPTURE(shape.name);
        CAPTURE(factor);
        const double h = factor * thumb(x);
        const MonotoneSpline spline = tabulate(x, h);
        CHECK(spline_fault(spline) == "");
        // In units of what is allowed: 1e-6, and as much as z moves when x and a knot near it, which are doubles of
        // that size themselves, move by a rounding: dz/dx ≤ 1/h.
        double worst = 0;
        for (const double at : points_around(x, h, n > 1000 ? 150 : 300, n)) {
          const DirectPoint direct = direct_kde(x, h, at);
          if (direct.tail() < 1e-12) continue;
          const double error = std::abs(value_at(spline, at) - direct.z()) / (1e-6 + ulp(at) / h);
          worst = std::isnan(error) ? HUGE_VAL : std::max(worst, error);
        }
        CHECK(worst < 1);
      }
}

TEST_CASE("rows that are far apart for their bandwidth leave gaps, and the map stays within 1e-6 across them") {
  const Column x = clustered_column(900, 61, 3, 1000, 1);
  const double h = 0.2;
  const MonotoneSpline spline = tabulate(x, h);
  REQUIRE(spline.segments.size() >= 3);
  for (int i = 0; i <= 3000; ++i) {
    const double at = -10 + 2020 * i / 3000.0;
    const DirectPoint direct = direct_kde(x, h, at);
    if (direct.tail() >= 1e-12) CHECK(std::abs(value_at(spline, at) - direct.z()) < 1e-6);
  }
  CHECK(relative_error(value_at(spline, 500), normal_quantile(1.0 / 3)) < 1e-12);
  CHECK(relative_error(value_at(spline, 1500), normal_quantile(2.0 / 3)) < 1e-10);
}

TEST_CASE("the main segment is the one with most rows") {
  for (const double outlier : {-1e4, 1e4}) {
    const MonotoneSpline spline = tabulate(with_first(normal_column(100, 65), outlier), 0.5);
    REQUIRE(spline.segments.size() == 2);
    CHECK(spline.main_segment == (outlier < 0 ? 1 : 0));
  }
}

TEST_CASE("beyond the data log tails fall by 1 per bandwidth, as the kernel's own do") {
  for (const std::size_t n : {2UL, 50UL, 2000UL})
    for (const NamedColumn& shape : column_shapes(n, 62)) {
      const Column& x = shape.x;
      if (shape.name == "outlier above" || shape.name == "outlier below") continue;  // x ± 30 h is not a double there
      CAPTURE(n);
      CAPTURE(shape.name);
      const double h = thumb(x);
      const MonotoneSpline spline = tabulate(x, h);
      const double low = *std::min_element(x.begin(), x.end());
      const double high = *std::max_element(x.begin(), x.end());
      for (const double t : {30.0, 100.0, 1e4}) {
        CAPTURE(t);
        const auto upper = [&](double s) { return log_normal_cdf(-value_at(spline, high + s * h)); };
        const auto lower = [&](double s) { return log_normal_cdf(value_at(spline, low - s * h)); };
        CHECK(relative_error(upper(t + 1) - upper(t), -1) < 1e-7);
        CHECK(relative_error(lower(t + 1) - lower(t), -1) < 1e-7);
        // Not the slope alone: the level too, Σ e^{−t_i}/N.
        long double above = 0;
        for (const double row : x) above += std::exp(-(high - row) / h);
        CHECK(relative_error(upper(t), static_cast<double>(std::log(above / n)) - t) < 1e-8);
      }
    }
}

TEST_CASE("a spline grows far more slowly than the rows") {
  // Four times the rows: wider where the tails are heavy. bench_marginal measures the time, which is linear in the
  // rows.
  const auto knots = [](const Column& x) { return static_cast<double>(tabulate(x, thumb(x)).position.size()); };
  for (const auto draw : {normal_column, exponential_column, cauchy_column})
    CHECK(knots(draw(200'000, 64)) < 2.5 * knots(draw(50'000, 64)));
}

TEST_CASE("fit_kde is select_bandwidth and tabulate_kde, column by column, without blending") {
  const arma::mat x = shapes_matrix(400);
  for (const BandwidthRule rule :
       {BandwidthRule::rule_of_thumb, BandwidthRule::sheather_jones, BandwidthRule::likelihood}) {
    const SplineMarginal marginal = fit_kde(x, {.bandwidth = rule});
    REQUIRE(marginal.columns.size() == x.n_cols);
    for (std::size_t d = 0; d < x.n_cols; ++d) {
      const double h = select_bandwidth(x.colptr(d), x.n_rows, rule);
      CHECK(marginal.columns[d].bandwidth == h);
      CHECK(marginal.columns[d].shrinkage == 0);
      CHECK(same_table(marginal.columns[d], kde_spline(x.colptr(d), x.n_rows, h)));
    }
  }
}

TEST_CASE("the number of threads changes no byte of a fit") {
  const arma::mat x = shapes_matrix(1000);
  const auto fit = [&](int threads) {
    return fit_kde(x, {.bandwidth = BandwidthRule::likelihood, .threads = threads}).columns;
  };
  const std::vector<MonotoneSpline> one = fit(1);
  for (const int threads : {2, 3, 8}) {
    const std::vector<MonotoneSpline> more = fit(threads);
    for (std::size_t d = 0; d < one.size(); ++d) CHECK(same_table(one[d], more[d]));
  }
}

TEST_CASE("max_rows takes that many rows, evenly spaced") {
  const arma::mat x = shapes_matrix(1000);
  const SplineMarginal some = fit_kde(x, {.max_rows = 300});
  for (std::size_t d = 0; d < x.n_cols; ++d) {
    const arma::vec chosen = evenly_spaced(x.colptr(d), 1000, 300);
    REQUIRE(chosen.n_elem == 300);
    for (std::size_t i = 0; i < 300; ++i) CHECK(chosen[i] == x(i * 1000 / 300, d));
    CHECK(same_table(some.columns[d], fit_kde(chosen).columns[0]));
  }
  for (const std::size_t enough : {0UL, 1000UL, 5000UL})
    CHECK(same_table(fit_kde(x, {.max_rows = enough}).columns[1], fit_kde(x).columns[1]));
}

TEST_CASE("a column that has no density is a DataError that names it") {
  arma::mat x = shapes_matrix(50);
  for (const double constant : {0.0, 0.1, -1e-300, 1e300, 12345.678}) {
    CAPTURE(constant);
    x.col(3).fill(constant);
    for (const BandwidthRule rule :
         {BandwidthRule::rule_of_thumb, BandwidthRule::sheather_jones, BandwidthRule::likelihood})
      for (const int threads : {1, 3}) {
        const std::string message = error_of(x, {.bandwidth = rule, .threads = threads});
        CHECK(message.starts_with("column 3: constant ("));
      }
  }
  // Of two such columns the first is named, whatever the number of threads.
  x.col(1).fill(7);
  for (const int threads : {1, 2, 8}) CHECK(error_of(x, {.threads = threads}).starts_with("column 1: "));
}

TEST_CASE("a value that is not finite is a DataError that names column and row") {
  for (const double bad : {arma::datum::nan, arma::datum::inf, -arma::datum::inf}) {
    arma::mat x = shapes_matrix(50);
    x(17, 2) = bad;
    CHECK(error_of(x).starts_with("column 2: row 17 is "));
  }
}

TEST_CASE("too few rows or no column are refused") {
  CHECK_THROWS_AS(fit_kde(arma::mat(1, 3, arma::fill::ones)), std::invalid_argument);
  CHECK_THROWS_AS(fit_kde(arma::mat(0, 3)), std::invalid_argument);
  CHECK_THROWS_AS(fit_kde(arma::mat(5, 0)), std::invalid_argument);
  CHECK(error_of(shapes_matrix(50), {.max_rows = 1}).starts_with("column 0: "));
}

TEST_CASE("columns over many powers of ten: no bandwidth is tried that cannot be tabulated") {
  RandomStream stream(Seed{31}, Purpose::test);
  for (const double sigma : {12.0, 14.0}) {
    const arma::mat x = arma::exp(sigma * random_normal(20'000, 1, stream));
    CHECK_NOTHROW(fit_kde(x, {.bandwidth = BandwidthRule::likelihood}));
  }
}

TEST_CASE("units change the spline's positions and nothing else") {
  // By a power of two no digit changes; the map of 4x is that of x read four times as far out.
  const Column x = cauchy_column(500, 63);
  Column wide = x;
  for (double& value : wide) value *= 4;
  const MonotoneSpline a = tabulate(x, thumb(x)), b = tabulate(wide, thumb(wide));
  CHECK(thumb(wide) == 4 * thumb(x));
  REQUIRE(a.position.size() == b.position.size());
  CHECK(same_bytes(a.value, b.value));
  for (std::size_t k = 0; k < a.position.size(); ++k) {
    CHECK(b.position[k] == 4 * a.position[k]);
    CHECK(b.slope[k] == a.slope[k] / 4);
  }
}
