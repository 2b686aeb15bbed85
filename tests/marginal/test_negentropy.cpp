#include <cmath>
#include <numbers>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/marginal/detail/negentropy.hpp"
#include "gaussianize/marginal/kde.hpp"

#include "marginal/columns.hpp"
#include "support/bytes.hpp"
#include "support/laws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

/// A distribution of mean zero and unit variance, its negentropy, and how much lower the estimate is at N = 1000 and 10
/// 000.
struct Distribution {
  const char* name;
  Column (*draw)(std::size_t, std::uint64_t);
  double entropy;
  double bias_1000, bias_10000;

  double negentropy() const { return 0.5 * std::log(2 * std::numbers::pi * std::numbers::e) - entropy; }
};

Column standard_exponential(std::size_t n, std::uint64_t seed) {
  Column x = exponential_column(n, seed);
  for (double& value : x) value -= 1;
  return x;
}

Column standard_laplace(std::size_t n, std::uint64_t seed) {
  Column x = laplace_column(n, seed);
  for (double& value : x) value /= std::sqrt(2.0);
  return x;
}

const Distribution distributions[] = {
    {"normal", normal_column, 0.5 * std::log(2 * std::numbers::pi * std::numbers::e), 0.0046, 0.0009},
    {"uniform", uniform_column, 0.5 * std::log(12.0), 0.0725, 0.0446},
    {"exponential", standard_exponential, 1.0, 0.104, 0.063},
    {"Laplace", standard_laplace, 1 + 0.5 * std::log(2.0), 0.0142, 0.003},
};

struct Trials {
  arma::vec value, standard_error;
};

Trials trials(const Distribution& distribution, std::size_t n, std::size_t count) {
  Trials result{arma::vec(count), arma::vec(count)};
  parallel_for(count, 0, [&](std::size_t i) {
    const Column x = distribution.draw(n, 1000 * n + i);
    const Estimate estimate = negentropy(x.data(), n);
    result.value[i] = estimate.value;
    result.standard_error[i] = estimate.standard_error;
  });
  return result;
}

}  // namespace

TEST_CASE("negentropy is that of the closed form, less the stated bias, within 4 standard errors") {
  for (const Distribution& distribution : distributions) {
    CAPTURE(distribution.name);
    for (const std::size_t n : {1000UL, 10'000UL}) {
      const double bias = n == 1000 ? distribution.bias_1000 : distribution.bias_10000;
      CAPTURE(n);
      const Column x = distribution.draw(n, 7);
      const Estimate estimate = negentropy(x.data(), n);
      CHECK(estimate.standard_error > 0);
      CHECK(estimate.standard_error < 0.05);
      CHECK(std::abs(estimate.value + bias - distribution.negentropy()) < 4 * estimate.standard_error);
    }
  }
}

TEST_CASE("the bias is what the header says") {
  for (const std::size_t n : {100UL, 1000UL, 10'000UL}) {
    CAPTURE(n);
    const Trials normal = trials(distributions[0], n, 200);
    const double bias = -arma::mean(normal.value) * std::pow(static_cast<double>(n), 0.8);
    CHECK(bias > 0.7);
    CHECK(bias < 1.7);
  }
  for (const Distribution& distribution : {distributions[1], distributions[2]}) {
    CAPTURE(distribution.name);
    const Trials t = trials(distribution, 1000, 200);
    // Four standard errors of the mean, and the rounding of the stated number.
    const double allowed = 4 * arma::stddev(t.value) / std::sqrt(200.0) + 0.0005;
    CHECK(absolute_error(distribution.negentropy() - arma::mean(t.value), distribution.bias_1000) < allowed);
    CHECK(allowed < 0.1 * distribution.bias_1000);
  }
}

TEST_CASE("the standard error is the spread of the estimate over samples") {
  for (const Distribution& distribution : distributions) {
    CAPTURE(distribution.name);
    const Trials t = trials(distribution, 1000, 300);
    // A standard deviation from 300 trials is known to 4 %; the bandwidth's own spread is not accounted for.
    const double ratio = arma::stddev(t.value) / arma::mean(t.standard_error);
    CHECK(ratio > 0.75);
    CHECK(ratio < 1.25);
    const arma::vec deviation = arma::abs(t.value - arma::mean(t.value)) / t.standard_error;
    const double covered = arma::mean(arma::conv_to<arma::vec>::from(deviation < 1.96));
    CHECK(covered > 0.88);
  }
}

TEST_CASE("a constant column gives +∞") {
  for (const double value : {0.0, 0.1, 1.0 / 3})
    for (const std::size_t n : {1UL, 3UL, 10UL, 1000UL}) {
      const Column x(n, value);
      CHECK(negentropy(x.data(), n).value == HUGE_VAL);
    }
}

TEST_CASE("shifts and scales enter as they should: D_KL(N(m, s²) ‖ N(0, 1)) = (m² + s² − 1)/2 − log s") {
  for (const auto& [m, s] : {std::pair{3.0, 1.0}, {0.0, 5.0}, {-1.0, 0.2}}) {
    Column x = normal_column(5000, 8);
    for (double& value : x) value = m + s * value;
    const Estimate estimate = negentropy(x.data(), x.size());
    CHECK(std::abs(estimate.value - ((m * m + s * s - 1) / 2 - std::log(s))) < 4 * estimate.standard_error + 0.002);
  }
}

TEST_CASE("marginal_negentropy is the sum over columns, with the standard error of the rows' sums") {
  arma::mat x(2000, 3);
  x.col(0) = arma::vec(normal_column(2000, 9));
  x.col(1) = arma::vec(uniform_column(2000, 10));
  x.col(2) = x.col(1);
  double sum = 0;
  for (arma::uword d = 0; d < 3; ++d) sum += negentropy(x.colptr(d), 2000).value;
  const Estimate all = kernel_negentropy(x, 0);
  CHECK(relative_error(all.value, sum) < 1e-14);
  // Columns 1 and 2 are the same: their errors add up, they do not average out.
  const double one = negentropy(x.colptr(1), 2000).standard_error;
  CHECK(all.standard_error > 1.9 * one);
}

TEST_CASE("marginal_negentropy takes max_rows evenly spaced rows, and gives the same bytes for any number of threads") {
  arma::mat x(3000, 4);
  for (arma::uword d = 0; d < 4; ++d) x.col(d) = arma::vec(standard_laplace(3000, 20 + d));
  arma::mat some(700, 4);
  for (arma::uword d = 0; d < 4; ++d) some.col(d) = evenly_spaced(x.colptr(d), 3000, 700);
  CHECK(kernel_negentropy(x, 700).value == kernel_negentropy(some, 0).value);
  CHECK(kernel_negentropy(x, 5000).value == kernel_negentropy(x, 0).value);
  const Estimate one = kernel_negentropy(x, 0, 1);
  for (const int threads : {2, 3, 8}) {
    const Estimate more = kernel_negentropy(x, 0, threads);
    CHECK(same_bytes({&one.value, 1}, {&more.value, 1}));
    CHECK(same_bytes({&one.standard_error, 1}, {&more.standard_error, 1}));
  }
}
