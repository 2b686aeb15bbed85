#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/rotation/detail/householder_evaluator.hpp"
#include "gaussianize/rotation/householder.hpp"
#include "gaussianize/rotation/random.hpp"
#include "gaussianize/rotation/rotation.hpp"

#include "rotation/checks.hpp"
#include "rotation/pull_back.hpp"
#include "rotation/reflections.hpp"
#include "support/bytes.hpp"
#include "support/closeness.hpp"
#include "support/draws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::normals;
using testing::random_of;
using testing::reference_matrix;
using testing::Shape;
using testing::shapes;
using testing::zeros_like;

TEST_CASE("the matrix is the product of the reflections, in their order, and orthogonal") {
  for (const Shape shape : shapes()) {
    const std::size_t d = shape.d, m = shape.m;
    CAPTURE(d);
    CAPTURE(m);
    const Householder rotation = random_of(d, m, 10 * d + m);
    const arma::mat q = matrix(rotation);
    CHECK(arma::abs(q - reference_matrix(rotation)).max() < 1e-15 * static_cast<double>(10 + d));
    CHECK(testing::is_orthogonal(q));
    CHECK(dimension(rotation) == d);
  }
}

TEST_CASE("two reflections by hand: the first takes x to y, the second y to z") {
  // Rows act from the left, so e_1·H_1·H_2 meets H_1 first.
  const Householder rotation{arma::mat{{1, 0}, {-1, 1}, {0, -1}}};
  const arma::mat moved = forward(rotation, arma::mat{{5, 6, 7}});
  CHECK(arma::abs(moved - arma::mat{{6, 7, 5}}).max() < 1e-14);
  CHECK(arma::abs(inverse(rotation, moved) - arma::mat{{5, 6, 7}}).max() < 1e-14);
}

TEST_CASE("vectors of any length, alike or nearly parallel, give an orthogonal matrix") {
  for (const std::size_t d : {1, 2, 7, 43, 120})
    for (const std::size_t m : {std::size_t{1}, d, 3 * d, std::size_t{200}}) {
      CAPTURE(d);
      CAPTURE(m);
      Householder rotation = random_of(d, m, d + m);
      const arma::mat q = matrix(rotation);
      for (arma::uword i = 0; i < m; ++i)
        rotation.v.col(i) *= std::pow(10.0, 150.0 * std::sin(2.0 * static_cast<double>(i)));
      CHECK(arma::abs(matrix(rotation) - q).max() < 1e-14 * static_cast<double>(d + m));
      CHECK(testing::is_orthogonal(matrix(rotation)));

      const arma::vec one = normals(d, 1, 3);
      for (const double spread : {0.0, 1e-16, 1e-8, 1e-3}) {
        CAPTURE(spread);
        rotation.v = spread * normals(d, m, 4);
        rotation.v.each_col() += one;
        CHECK(testing::is_orthogonal(matrix(rotation)));
        if (m <= d) {
          const HouseholderEvaluator factored = make_evaluator(rotation, HouseholderForm::factored);
          arma::mat y;
          RotationScratch scratch;
          forward(factored, arma::eye(d, d), y, scratch);
          CHECK(testing::is_orthogonal(y));
        }
      }
    }
  // Squares of these under- and overflow.
  for (const double size : {5e-324, 1e-300, 1e-150, 1e150, 1e300, 1.7e308})
    CHECK(testing::is_orthogonal(matrix({arma::mat(3, 2, arma::fill::value(size))})));
}

TEST_CASE("any orthogonal matrix is a product of D or D − 1 reflections") {
  RandomStream stream(Seed{1}, Purpose::test);
  for (const std::size_t d : {1, 2, 3, 7, 43, 150}) {
    std::vector<arma::mat> all{arma::eye(d, d), -arma::eye(d, d),
                               arma::shift(arma::mat(arma::eye(d, d)), d > 1 ? 1 : 0)};
    for (int i = 0; i < 6; ++i) all.push_back(random_rotation(d, stream));
    arma::mat swapped = arma::eye(d, d);
    swapped.swap_cols(0, d - 1);
    all.push_back(swapped);
    // Turned by almost nothing: entries that cancel, whose squares vanish.
    for (const double angle : {1e-9, 1e-17, 1e-200}) {
      arma::mat turned = arma::eye(d, d);
      if (d > 1) turned(0, d - 1) = -(turned(d - 1, 0) = angle);
      all.push_back(turned);
    }
    for (const arma::mat& q : all) {
      CAPTURE(d);
      const Householder rotation = to_householder(q);
      const bool even = rotation.v.n_cols % 2 == 0;
      CHECK(even == (arma::det(q) > 0.0));
      CHECK(rotation.v.n_cols + 1 >= d);
      CHECK(rotation.v.n_cols <= d);
      CHECK(arma::abs(matrix(rotation) - q).max() <= 1e-14 * static_cast<double>(d));
      for (arma::uword i = 0; i < rotation.v.n_cols; ++i)
        CHECK(testing::relative_error(arma::norm(rotation.v.col(i)), std::sqrt(static_cast<double>(d))) < 1e-14);
    }
  }
}

TEST_CASE("random vectors are the stream's normals") {
  RandomStream stream(Seed{4}, Purpose::test);
  CHECK(testing::same_bytes(random_householder(7, 3, stream).v, normals(7, 3, 4)));
}

TEST_CASE("mistakes are named") {
  const Householder rotation = random_of(3, 2, 1);
  Householder grad = zeros_like(rotation);
  CHECK_THROWS_WITH_AS(forward(rotation, arma::mat(5, 4)), doctest::Contains("5×4"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(inverse(rotation, arma::mat(5, 4)), doctest::Contains("3 columns"), std::invalid_argument);
  grad.v.set_size(3, 1);
  CHECK_THROWS_WITH_AS(
      testing::backward(rotation, arma::mat(5, 3, arma::fill::zeros), arma::mat(5, 3, arma::fill::zeros), grad),
      doctest::Contains("3×1"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(matrix(Householder{}), doctest::Contains("0×0"), std::invalid_argument);
  Householder broken = rotation;
  broken.v.col(1).zeros();
  CHECK_THROWS_WITH_AS(matrix(broken), doctest::Contains("vector 1 is zero"), std::invalid_argument);
  broken.v(2, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(matrix(broken), doctest::Contains("entry 2 of vector 1 is nan"), std::invalid_argument);
  RandomStream stream(Seed{1}, Purpose::test);
  CHECK_THROWS_AS(random_householder(0, 3, stream), std::invalid_argument);
  CHECK_THROWS_WITH_AS(to_householder(arma::mat(3, 2)), doctest::Contains("3×2"), std::invalid_argument);
  CHECK_THROWS_AS(to_householder(arma::mat()), std::invalid_argument);
  CHECK_THROWS_WITH_AS(to_householder(2.0 * arma::eye(3, 3)), doctest::Contains("orthogonal"), std::invalid_argument);
}
