#include <cmath>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/detail/contrast.hpp"
#include "gaussianize/rotation/ica.hpp"
#include "gaussianize/rotation/random.hpp"

#include "rotation/checks.hpp"
#include "rotation/sources.hpp"
#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

struct Derivatives {
  double first, second;
};

/// g′ and g″, as the textbook has them.
Derivatives derivatives(Contrast contrast, double u) {
  switch (contrast) {
    case Contrast::log_cosh:
      return {std::tanh(u), 1.0 / (std::cosh(u) * std::cosh(u))};
    case Contrast::gauss:
      return {u * std::exp(-u * u / 2.0), (1.0 - u * u) * std::exp(-u * u / 2.0)};
    case Contrast::cubic:
      return {u * u * u, 3.0 * u * u};
    case Contrast::skew:
      return {u * u, 2.0 * u};
  }
  return {0.0, 0.0};
}

constexpr Contrast all_contrasts[] = {Contrast::log_cosh, Contrast::gauss, Contrast::cubic, Contrast::skew};

/// One iteration of symmetric FastICA on white rows, by plain loops [Hyvärinen 1999, eq. 20].
arma::mat reference_iteration(const arma::mat& z, const arma::mat& q, Contrast contrast) {
  arma::mat a(q.n_rows, q.n_cols, arma::fill::zeros);
  for (arma::uword i = 0; i < z.n_rows; ++i)
    for (arma::uword k = 0; k < q.n_cols; ++k) {
      double u = 0.0;
      for (arma::uword j = 0; j < z.n_cols; ++j) u += z(i, j) * q(j, k);
      const Derivatives g = derivatives(contrast, u);
      for (arma::uword j = 0; j < z.n_cols; ++j) a(j, k) += z(i, j) * g.first - g.second * q(j, k);
    }
  arma::mat left, right;
  arma::vec values;
  arma::svd(left, values, right, a);
  return left * right.t();
}

double change(const arma::mat& a, const arma::mat& b) {
  return arma::abs(1.0 - arma::abs(arma::sum(a % b, 0))).max();
}

arma::mat whitened(const arma::mat& x, const IcaResult& result) {
  return (x.each_row() - arma::mean(x)) * result.whitening;
}

double whiteness_error(const arma::mat& z) {
  return arma::abs(arma::cov(z, 1) - arma::eye(z.n_cols, z.n_cols)).max();
}

}  // namespace

TEST_CASE("differentiate_contrast agrees with the textbook's derivatives") {
  for (const Contrast contrast : all_contrasts) {
    std::vector<double> u;
    for (int i = -1500; i <= 1500; ++i) u.push_back(0.01 * i + 1e-4 * i * i * (i % 7 == 0 ? 1.0 : 0.0));
    const std::vector<double> before = u;
    const double sum = detail::differentiate_contrast(contrast, u.data(), u.size());
    double expected = 0.0, size = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const Derivatives g = derivatives(contrast, before[i]);
      expected += g.second;
      size += std::abs(g.second);
      CHECK(std::abs(u[i] - g.first) <= 4e-16 + 4e-15 * std::abs(g.first));
    }
    CHECK(std::abs(sum - expected) < 1e-13 * size);
  }
}

TEST_CASE("ica recovers a known mixing of ten sources") {
  RandomStream stream(Seed{41}, Purpose::test);
  const arma::mat sources = testing::independent_sources(20000, 10, stream);
  const arma::mat mixing = random_normal(10, 10, stream);
  const arma::mat x = sources * mixing;
  for (const std::uint64_t seed : {1, 2, 3}) {
    RandomStream start(Seed{seed}, Purpose::rotation);
    const IcaResult result = ica(x, start);
    CHECK(result.converged);
    CHECK(result.iterations <= 60);
    CHECK(testing::amari_index(mixing * result.whitening * result.q) < 0.015);
    CHECK(whiteness_error(whitened(x, result)) < 1e-10);
  }
}

TEST_CASE("every contrast recovers the sources it is made for") {
  using testing::Source;
  const auto index = [](Contrast contrast, const std::vector<Source>& distributions) {
    RandomStream stream(Seed{42}, Purpose::test);
    arma::mat sources(20000, distributions.size());
    for (std::size_t j = 0; j < distributions.size(); ++j)
      sources.col(j) = testing::draws(20000, distributions[j], stream);
    const arma::mat mixing = random_normal(distributions.size(), distributions.size(), stream);
    const IcaResult result = ica(sources * mixing, stream, {.contrast = contrast});
    CHECK(result.converged);
    return testing::amari_index(mixing * result.whitening * result.q);
  };
  CHECK(index(Contrast::log_cosh, {Source::laplace, Source::uniform, Source::student, Source::bimodal}) < 0.02);
  CHECK(index(Contrast::gauss, {Source::laplace, Source::student, Source::laplace, Source::exponential}) < 0.02);
  CHECK(index(Contrast::cubic, {Source::uniform, Source::bimodal, Source::uniform, Source::uniform}) < 0.02);
  CHECK(index(Contrast::skew, {Source::exponential, Source::exponential, Source::exponential}) < 0.02);
}

TEST_CASE("Amari's index rejects a wrong unmixing") {
  RandomStream stream(Seed{43}, Purpose::test);
  CHECK(testing::amari_index(arma::mat{{0, 2, 0}, {-3, 0, 0}, {0, 0, 1}}) == 0.0);
  CHECK(testing::amari_index(arma::mat{{0, 2, 0}, {-3, 0, 1}, {0, 0, 1}}) > 0.05);
  CHECK(testing::amari_index(random_rotation(10, stream)) > 0.15);
}

TEST_CASE("the converged flag says whether one more iteration would move the directions") {
  RandomStream stream(Seed{44}, Purpose::test);
  const arma::mat normal = random_normal(3000, 6, stream);
  const arma::mat structured = testing::independent_sources(3000, 6, stream) * random_normal(6, 6, stream);
  for (const Contrast contrast : all_contrasts)
    for (const arma::mat& x : {normal, structured})
      for (const int limit : {0, 1, 3, 10, 200}) {
        const IcaResult result = ica(x, stream, {.contrast = contrast, .max_iterations = limit});
        CAPTURE(static_cast<int>(contrast));
        CAPTURE(limit);
        CHECK(testing::is_orthogonal(result.q));
        CHECK(result.iterations <= limit);
        if (!result.converged) CHECK(result.iterations == limit);
        const double moved = change(reference_iteration(whitened(x, result), result.q, contrast), result.q);
        if (result.converged) CHECK(moved < 2e-4);
        if (limit == 0) CHECK(moved > 1e-4);
      }
}

TEST_CASE("swings to and fro are damped: several normal sources converge") {
  // Without damping, some half of such runs went on to 200 iterations.
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    RandomStream stream(Seed{seed}, Purpose::test);
    arma::mat sources = testing::independent_sources(1500, 6, stream);
    sources.tail_cols(3) = random_normal(1500, 3, stream);
    const IcaResult result = ica(sources * random_normal(6, 6, stream), stream);
    CHECK(result.converged);
    CHECK(result.iterations < 100);
  }
}

TEST_CASE("normal data cannot converge in a few iterations, and say so") {
  RandomStream stream(Seed{45}, Purpose::test);
  const arma::mat x = random_normal(5000, 8, stream);
  const IcaResult result = ica(x, stream, {.max_iterations = 5});
  CHECK_FALSE(result.converged);
  CHECK(result.iterations == 5);
  CHECK(testing::is_orthogonal(result.q));
  CHECK(change(reference_iteration(whitened(x, result), result.q, Contrast::log_cosh), result.q) > 1e-4);
}

TEST_CASE("whitening is symmetric and leaves white data where they are") {
  RandomStream stream(Seed{46}, Purpose::test);
  arma::mat x = testing::lopsided_data(4000, 6, 47);
  const IcaResult first = ica(x, stream, {.max_iterations = 2});
  CHECK(arma::abs(first.whitening - first.whitening.t()).max() < 1e-11 * arma::abs(first.whitening).max());
  const arma::mat white = whitened(x, first);
  CHECK(whiteness_error(white) < 1e-11);
  const IcaResult second = ica(white, stream, {.max_iterations = 2});
  CHECK(arma::abs(second.whitening - arma::eye(6, 6)).max() < 1e-11);

  x.each_row() %= arma::rowvec{1.0, 1e3, 1e-2, 10.0, 1.0, 0.3};
  const IcaResult third = ica(x, stream, {.max_iterations = 2});
  // Symmetric, positive and whitening: there is one such matrix.
  const arma::vec scale = 1.0 / arma::sqrt(third.whitening.diag());
  const arma::mat unit = third.whitening % (scale * scale.t());
  CHECK(arma::abs(unit - unit.t()).max() < 1e-9);
  CHECK(arma::eig_sym(arma::symmatu(unit)).min() > 0.0);
  CHECK(whiteness_error(whitened(x, third)) < 1e-11);
}

TEST_CASE("whitening holds in any units") {
  arma::mat x = testing::lopsided_data(4000, 5, 48);
  x.each_row() %= arma::rowvec{1e120, 1e-120, 1.0, 1e100, 1e-7};
  RandomStream stream(Seed{49}, Purpose::test);
  const IcaResult result = ica(x, stream);
  CHECK(testing::is_orthogonal(result.q));
  CHECK(whiteness_error(whitened(x, result)) < 1e-10);
}

TEST_CASE("rank-deficient data stay finite") {
  RandomStream stream(Seed{50}, Purpose::test);
  arma::mat x = testing::lopsided_data(500, 6, 51);
  x.col(3) = x.col(0) - 2.0 * x.col(1);
  x.col(5).fill(7.0);
  for (const arma::mat& data : {x, arma::mat(x.head_rows(4)), arma::mat(x.head_rows(1)), arma::mat(x.cols(5, 5))})
    for (const Contrast contrast : all_contrasts) {
      const IcaResult result = ica(data, stream, {.contrast = contrast, .max_iterations = 20});
      CHECK(testing::is_orthogonal(result.q));
      CHECK(result.whitening.is_finite());
      CHECK(whitened(data, result).is_finite());
    }
}

TEST_CASE("max_rows takes evenly spaced rows") {
  // Every odd row is kept, so what stands in the even ones must not be seen beyond the whitening.
  RandomStream stream(Seed{52}, Purpose::test);
  const arma::mat kept = testing::independent_sources(1500, 4, stream);
  arma::mat x(3000, 4);
  for (arma::uword i = 0; i < 1500; ++i) {
    x.row(2 * i) = kept.row(1499 - i);
    x.row(2 * i + 1) = kept.row(i);
  }
  RandomStream a(Seed{53}, Purpose::rotation), b(Seed{53}, Purpose::rotation), c(Seed{53}, Purpose::rotation);
  const IcaResult half = ica(x, a, {.max_rows = 1500}), whole = ica(kept, b);
  CHECK(half.iterations == whole.iterations);
  CHECK(arma::abs(half.q - whole.q).max() < 1e-10);
  CHECK(testing::same_bytes(ica(kept, c, {.max_rows = 99999}).q, whole.q));
}
