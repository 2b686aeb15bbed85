#include <cmath>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/toys.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;

TEST_CASE("checkerboard rows lie on every second 2×2 square, evenly") {
  const arma::mat x = draw(Toy::checkerboard, 16000, Seed{1});
  arma::mat counts(4, 4, arma::fill::zeros);
  for (arma::uword i = 0; i < x.n_rows; ++i) {
    REQUIRE(std::abs(x(i, 0)) <= 4);
    REQUIRE(std::abs(x(i, 1)) <= 4);
    counts(static_cast<arma::uword>(std::floor(x(i, 0) / 2) + 2),
           static_cast<arma::uword>(std::floor(x(i, 1) / 2) + 2)) += 1;
  }
  for (arma::uword r = 0; r < 4; ++r)
    for (arma::uword c = 0; c < 4; ++c) {
      if (counts(r, c) > 0) CHECK(std::abs(counts(r, c) - 2000) < 5 * std::sqrt(2000.0));
    }
  CHECK(arma::accu(counts > 0) == 8);
}

TEST_CASE("eight Gaussians: the mean is 0 and the mean square (16 + 2·0.25)/2") {
  const arma::mat x = draw(Toy::eight_gaussians, 20000, Seed{2});
  CHECK(arma::abs(arma::mean(x)).max() < 0.08);
  CHECK(arma::mean(arma::sum(arma::square(x), 1)) == doctest::Approx(8.25).epsilon(0.02));
}

TEST_CASE("every toy is finite, bounded, and fixed by seed and row") {
  for (const Toy toy : {Toy::checkerboard, Toy::eight_gaussians, Toy::pinwheel, Toy::two_spirals}) {
    CAPTURE(name(toy));
    const arma::mat x = draw(toy, 5000, Seed{3});
    CHECK(x.is_finite());
    CHECK(arma::abs(x).max() < 8);
    CHECK(same_bytes(arma::mat(x.head_rows(10)), draw(toy, 10, Seed{3})));
    CHECK_FALSE(same_bytes(draw(toy, 10, Seed{4}), draw(toy, 10, Seed{3})));
  }
}
