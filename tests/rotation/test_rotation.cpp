#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/rotation/detail/orthogonal.hpp"
#include "gaussianize/rotation/ica.hpp"
#include "gaussianize/rotation/pca.hpp"
#include "gaussianize/rotation/random.hpp"
#include "gaussianize/rotation/rotation.hpp"
#include "gaussianize/rotation/sliced.hpp"

#include "rotation/checks.hpp"
#include "support/bytes.hpp"
#include "support/closeness.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("forward is X·Q and inverse undoes it") {
  RandomStream stream(Seed{1}, Purpose::test);
  const Rotation rotation = Orthogonal{random_rotation(6, stream)};
  const arma::mat& q = std::get<Orthogonal>(rotation).q;
  const arma::mat x = testing::lopsided_data(300, 6, 2);
  const arma::mat y = forward(rotation, x);
  for (const arma::uword i : {arma::uword{0}, arma::uword{17}, arma::uword{299}})
    for (arma::uword j = 0; j < 6; ++j) {
      double sum = 0.0;
      for (arma::uword k = 0; k < 6; ++k) sum += x(i, k) * q(k, j);
      CHECK(testing::relative_error(y(i, j), sum) < 1e-13);
    }
  CHECK(arma::abs(inverse(rotation, y) - x).max() < 1e-14 * arma::abs(x).max() * 6);
  CHECK(dimension(rotation) == 6);
  CHECK(forward(rotation, arma::mat(0, 6)).n_cols == 6);
}

TEST_CASE("the identity takes any number of columns and changes no byte") {
  const arma::mat x = testing::lopsided_data(9, 4, 3);
  CHECK(testing::same_bytes(forward(Identity{}, x), x));
  CHECK(testing::same_bytes(inverse(Identity{}, x), x));
  CHECK(dimension(Identity{}) == 0);
}

TEST_CASE("orthogonality_error is max |QᵀQ − I|") {
  arma::mat q = arma::eye(3, 3);
  CHECK(orthogonality_error(q) == 0.0);
  q(0, 1) = 0.25;
  CHECK(orthogonality_error(q) == 0.25);
  q(2, 2) = 2.0;
  CHECK(orthogonality_error(q) == 3.0);
  q(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(orthogonality_error(q) == std::numeric_limits<double>::infinity());
  CHECK(orthogonality_error(arma::mat()) == 0.0);
}

TEST_CASE("errors state the shapes") {
  const Rotation rotation = Orthogonal{arma::eye(3, 3)};
  const arma::mat x(5, 4, arma::fill::zeros);
  for (const std::string& text :
       {message_of([&] { forward(rotation, x); }), message_of([&] { inverse(rotation, x); })}) {
    CHECK(contains(text, "5×4"));
    CHECK(contains(text, "3 columns"));
  }
  CHECK(contains(message_of([&] { forward(Orthogonal{arma::mat(4, 2)}, x); }), "4×2"));
  CHECK(contains(message_of([] { orthogonality_error(arma::mat(2, 3)); }), "2×3"));

  RandomStream stream(Seed{1}, Purpose::test);
  const arma::mat no_rows(0, 3), no_columns(3, 0);
  CHECK(contains(message_of([&] { random_rotation(0, stream); }), "dimension is 0"));
  CHECK(contains(message_of([&] { pca_rotation(no_rows); }), "pca_rotation: x is 0×3"));
  CHECK(contains(message_of([&] { pca_rotation(no_columns); }), "3×0"));
  CHECK(contains(message_of([&] { ica(no_rows, stream); }), "ica: x is 0×3"));
  CHECK(contains(message_of([&] { sliced_rotation(no_rows, stream); }), "sliced_rotation: x is 0×3"));
  CHECK(contains(message_of([&] { ica(x, stream, {.max_iterations = -1}); }), "max_iterations is -1"));
  CHECK(contains(message_of([&] { ica(x, stream, {.tolerance = -1.0}); }), "tolerance is -1"));
  CHECK(contains(message_of([&] { sliced_rotation(x, stream, {.max_iterations = -2}); }), "max_iterations is -2"));
  CHECK(contains(message_of([&] { pca_rotation(x, -1); }), "threads is -1"));
}

TEST_CASE("nearest_orthogonal keeps orthogonal matrices, fixes singular ones and refuses NaN") {
  RandomStream stream(Seed{4}, Purpose::test);
  const arma::mat q = random_rotation(9, stream);
  CHECK(arma::abs(detail::nearest_orthogonal(3.0 * q) - q).max() < 1e-14);
  CHECK(testing::is_orthogonal(detail::nearest_orthogonal(arma::mat(5, 5, arma::fill::zeros))));
  arma::mat broken = q;
  broken(3, 3) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(detail::nearest_orthogonal(broken), std::runtime_error);

  // The same matrix by Newton–Schulz and by singular vectors.
  const arma::mat near = q + 1e-4 * testing::lopsided_data(9, 9, 5);
  CHECK(arma::abs(detail::reorthogonalise(near) - detail::nearest_orthogonal(near)).max() < 1e-14);
}

TEST_CASE("cayley is the exponential of a skew matrix to second order, and a rotation for any size of it") {
  arma::mat a = testing::lopsided_data(5, 5, 6);
  a -= a.t().eval();
  CHECK(testing::is_orthogonal(detail::reorthogonalise(detail::cayley(a))));
  const arma::mat small = 1e-3 / arma::abs(a).max() * a;
  CHECK(arma::abs(detail::cayley(small) - arma::expmat(small)).max() < 1e-8);
  CHECK(arma::abs(detail::cayley(small) - arma::eye(5, 5) - small).max() > 1e-8);
}

TEST_CASE("fix_signs makes the largest entry of every column positive, the first of equal ones") {
  arma::mat q{{-0.6, 0.5}, {0.3, -0.5}, {0.6, 0.1}};
  detail::fix_signs(q);
  CHECK(testing::same_bytes(q, arma::mat{{0.6, 0.5}, {-0.3, -0.5}, {-0.6, 0.1}}));
}
