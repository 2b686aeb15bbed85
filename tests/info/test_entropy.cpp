#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <string>

#include <armadillo>
#include <boost/math/special_functions/digamma.hpp>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/entropy_methods.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/marginal/bandwidth.hpp"

#include "info/panel.hpp"
#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

constexpr EntropyMethod methods[] = {EntropyMethod::spacing, EntropyMethod::kde, EntropyMethod::histogram,
                                     EntropyMethod::nearest_neighbour};

double digamma(double x) {
  return boost::math::digamma(x);
}

/// mean of (E1), rank by rank as it is written, for data without ties.
double mean_windows(const arma::vec& sorted, int m) {
  const int n = static_cast<int>(sorted.n_elem);
  double sum = 0;
  for (int rank = 1; rank <= n; ++rank) {
    const int from_end = std::min(rank, n + 1 - rank);
    const int r = std::min(m, std::max(1, from_end / 4));
    const int low = std::max(1, rank - r), high = std::min(n, rank + r);
    sum += std::log(sorted[high - 1] - sorted[low - 1]) - digamma(high - low) + digamma(n + 1);
  }
  return sum / n;
}

/// The mean of log 2r − ψ(k) + ψ(N) with every distance sorted.
double mean_neighbours(const arma::vec& x, std::size_t k) {
  double sum = 0;
  for (const double value : x) {
    const arma::vec distance = arma::sort(arma::abs(x - value));
    sum += std::log(2 * distance[k]) - digamma(static_cast<double>(k)) + digamma(static_cast<double>(x.n_elem));
  }
  return sum / static_cast<double>(x.n_elem);
}

arma::vec integers(std::size_t n, std::uint64_t seed) {
  return arma::round(3 * draw(panel[0], n, seed));
}

}  // namespace

TEST_CASE("spacings: the formula, from 3 rows on") {
  for (const std::size_t n : {3UL, 4UL, 7UL, 20UL, 101UL, 2000UL}) {
    CAPTURE(n);
    const arma::vec x = draw(panel[3], n, n);
    const arma::vec sorted = arma::sort(x);
    const int m = std::max(1, static_cast<int>(std::lround(0.6 * std::cbrt(n))));
    const double expected = (4 * mean_windows(sorted, m) - mean_windows(sorted, 2 * m)) / 3;
    CHECK(std::abs(entropy(x).value - expected) < 1e-12);
  }
}

TEST_CASE("nearest neighbours: the formula, by brute force") {
  for (const std::size_t n : {5UL, 6UL, 50UL, 300UL}) {
    CAPTURE(n);
    const arma::vec x = draw(panel[2], n, n);
    CHECK(std::abs(entropy(x, EntropyMethod::nearest_neighbour).value - mean_neighbours(x, 4)) < 1e-12);
  }
  // Three rows have two neighbours each.
  const arma::vec three = {0.0, 1.0, 5.0};
  CHECK(std::abs(entropy(three, EntropyMethod::nearest_neighbour).value - mean_neighbours(three, 2)) < 1e-12);
}

TEST_CASE("histogram: counts in equal bins, with (K − 1)/(2N) nats") {
  const arma::vec x = draw(panel[4], 700, 1);
  const double width = 2 * 1.349 * robust_scale(x.memptr(), x.n_elem) / std::cbrt(700.0);
  std::map<long, int> counts;
  for (const double value : x) ++counts[static_cast<long>((value - x.min()) / width)];
  double expected = std::log(width) + (static_cast<double>(counts.size()) - 1) / 1400;
  for (const auto& [bin, count] : counts) expected -= count / 700.0 * std::log(count / 700.0);
  CHECK(std::abs(entropy(x, EntropyMethod::histogram).value - expected) < 1e-12);
}

TEST_CASE("kernel: direct sums with each row left out") {
  const arma::vec x = draw(panel[0], 400, 2);
  const double h = select_bandwidth(x.memptr(), x.n_elem, BandwidthRule::likelihood);
  double expected = 0;
  for (arma::uword i = 0; i < x.n_elem; ++i) {
    double sum = 0;
    for (arma::uword j = 0; j < x.n_elem; ++j)
      if (j != i) sum += 1 / (4 * std::pow(std::cosh((x[i] - x[j]) / (2 * h)), 2));
    expected -= std::log(sum / (399 * h)) / 400;
  }
  CHECK(std::abs(entropy(x, EntropyMethod::kde).value - expected) < 1e-3);
}

TEST_CASE("x ↦ ax + b adds log |a|, from 1e-300 to 1e300") {
  const arma::vec x = draw(panel[0], 500, 3);
  for (const EntropyMethod method : methods) {
    CAPTURE(name(method));
    const Estimate plain = entropy(x, method);
    for (const double a : {1e-300, 3e-7, -1.0, 0.1, 7.0, 1e300}) {
      CAPTURE(a);
      const Estimate other = entropy(a * x, method);
      // A negative a turns the column round: the histogram's bins and the kernel's lattice start at the lowest row.
      const double turned = method == EntropyMethod::histogram ? 0.05 : method == EntropyMethod::kde ? 1e-6 : 1e-9;
      const double tolerance = a < 0 ? turned : 1e-9;
      CHECK(std::abs(other.value - plain.value - std::log(std::abs(a))) < tolerance);
      CHECK(std::abs(other.standard_error - plain.standard_error) < tolerance);
    }
    CHECK(std::abs(entropy(x + 1000, method).value - plain.value) < 1e-7);
  }
}

TEST_CASE("values may span all magnitudes, and their differences overflow") {
  const arma::vec x = {-1.7e308, -1e300, -1e-300, 3e-310, 1e-300, 1.0, 1e100, 1.7e308};
  for (const EntropyMethod method : {EntropyMethod::spacing, EntropyMethod::nearest_neighbour}) {
    const Estimate estimate = entropy(x, method);
    CHECK(std::isfinite(estimate.value));
    CHECK(std::isfinite(estimate.standard_error));
  }
}

TEST_CASE("heavy tails: the Cauchy distribution has entropy log 4π") {
  RandomStream stream(Seed{4}, Purpose::test);
  arma::vec x(20'000);
  for (double& value : x) value = std::tan(std::numbers::pi * (stream.uniform() - 0.5));
  for (const EntropyMethod method : {EntropyMethod::spacing, EntropyMethod::nearest_neighbour}) {
    const Estimate estimate = entropy(x, method);
    CHECK(std::abs(estimate.value - std::log(4 * std::numbers::pi)) < 4 * estimate.standard_error);
    CHECK(estimate.standard_error < 0.03);
  }
  for (const EntropyMethod method : {EntropyMethod::kde, EntropyMethod::histogram})
    CHECK(std::isfinite(entropy(x, method).value));
}

TEST_CASE("ties are counted, and rounded data keep their entropy") {
  CHECK(count_ties({1.0, 2.0, 1.0, 1.0, 2.0, 5.0}) == 3);
  CHECK(count_ties(draw(panel[0], 1000, 5)) == 0);
  const arma::vec x = integers(4000, 6);
  CHECK(count_ties(x) > 3950);
  const double truth = panel[0].entropy + std::log(3.0);
  for (const EntropyMethod method : {EntropyMethod::spacing, EntropyMethod::nearest_neighbour}) {
    CAPTURE(name(method));
    const Estimate estimate = entropy(x, method);
    CHECK(std::abs(estimate.value - truth) < 4 * estimate.standard_error + 0.01);
    CHECK(estimate.standard_error > 0);
  }
  // Steps of a hundredth are about as wide as a window, where most windows end on ties.
  arma::vec difference(40);
  for (arma::uword i = 0; i < 40; ++i) {
    const arma::vec fine = draw(panel[0], 4000, 30 + i);
    difference[i] = entropy(arma::round(100 * fine) / 100).value - entropy(fine).value;
  }
  CHECK(std::abs(arma::mean(difference)) < 0.01);
  CHECK(arma::abs(difference).max() < 0.02);
}

TEST_CASE("half of the rows in one atom: every method stays finite") {
  arma::vec x = draw(panel[2], 1000, 8);
  for (arma::uword i = 0; i < x.n_elem; i += 2) x[i] = 0;
  for (const EntropyMethod method : methods) {
    CAPTURE(name(method));
    CHECK(std::isfinite(entropy(x, method).value));
  }
  // Two values: the only distances there are, counted from mid-rank to mid-rank.
  const arma::vec two = {0.0, 0.0, 1.0, 1.0};
  CHECK(std::abs(entropy(two).value - (digamma(5) - digamma(2))) < 1e-12);
}

TEST_CASE("what has no entropy is refused") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const EntropyMethod method : methods) {
    CHECK_THROWS_AS(entropy({1.0, 1.0, 1.0, 1.0}, method), DataError);
    CHECK_THROWS_AS(entropy({1.0, 2.0}, method), DataError);
    CHECK_THROWS_AS(entropy({1.0, 2.0, nan, 3.0}, method), DataError);
    CHECK_THROWS_AS(entropy({1.0, 2.0, -HUGE_VAL, 3.0}, method), DataError);
  }
  arma::mat x(50, 3);
  for (arma::uword d = 0; d < 3; ++d) x.col(d) = draw(panel[0], 50, d);
  x.col(1).fill(0.1);
  CHECK_THROWS_WITH_AS(marginal_entropy(x), "column 1: constant (0.1): it has no density; drop it", DataError);
  CHECK_THROWS_AS(column_information(x), DataError);
  CHECK_THROWS_AS(marginal_entropy(arma::mat(5, 0)), std::invalid_argument);
}

TEST_CASE("columns add up, with the standard error of the rows' sums") {
  arma::mat x(1000, 3);
  x.col(0) = draw(panel[0], 1000, 9);
  x.col(1) = draw(panel[2], 1000, 10);
  x.col(2) = x.col(1);
  const Estimate first = entropy(x.col(0)), second = entropy(x.col(1));
  const Estimate all = marginal_entropy(x);
  CHECK(std::abs(all.value - first.value - 2 * second.value) < 1e-12);
  // Columns 1 and 2 are the same, so their errors add up; column 0 is independent of them.
  // Their sample correlation, 0.03 at most times two, moves that by half of it.
  CHECK(relative_error(all.standard_error, std::hypot(first.standard_error, 2 * second.standard_error)) < 0.03);
}

TEST_CASE("negentropies against N(0, 1) and against the normal of the same variance") {
  arma::mat x(20'000, 2);
  x.col(0) = 3 + 2 * draw(panel[0], 20'000, 11);
  x.col(1) = draw(panel[2], 20'000, 12);
  const std::vector<ColumnInformation> columns = column_information(x);
  const double kl = (9 + 4 - 1) / 2.0 - std::log(2.0);
  CHECK(std::abs(columns[0].negentropy.value - kl) < 4 * columns[0].negentropy.standard_error);
  CHECK(std::abs(columns[0].shape_negentropy.value) < 4 * columns[0].shape_negentropy.standard_error);
  CHECK(columns[0].shape_negentropy.standard_error < 0.002);
  CHECK(std::abs(columns[1].shape_negentropy.value - (panel[0].entropy - 1)) <
        4 * columns[1].shape_negentropy.standard_error);
  const Estimate sum = marginal_negentropy(x);
  CHECK(std::abs(sum.value - columns[0].negentropy.value - columns[1].negentropy.value) < 1e-12);

  for (const double a : {1e-300, 1e300}) {
    const std::vector<ColumnInformation> other = column_information(a * x);
    CHECK(std::abs(other[1].shape_negentropy.value - columns[1].shape_negentropy.value) < 1e-9);
    CHECK(std::abs(other[1].shape_negentropy.standard_error - columns[1].shape_negentropy.standard_error) < 1e-9);
  }
}

TEST_CASE("any number of threads gives the same bytes") {
  arma::mat x(700, 5);
  for (arma::uword d = 0; d < 5; ++d) x.col(d) = draw(panel[d], 700, 20 + d);
  for (const EntropyMethod method : methods) {
    const arma::vec one = marginal_negentropy_values(x, {.method = method, .threads = 1});
    for (const int threads : {2, 3, 8}) {
      const arma::vec more = marginal_negentropy_values(x, {.method = method, .threads = threads});
      CHECK(same_bytes({one.memptr(), one.n_elem}, {more.memptr(), more.n_elem}));
    }
  }
}
