#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/parallel.hpp"
#include "gaussianize/math/random_normal.hpp"
#include "gaussianize/rotation/find.hpp"
#include "gaussianize/rotation/householder.hpp"

#include "rotation/checks.hpp"
#include "rotation/gradients.hpp"

using namespace gaussianize;
using testing::relative_error;

namespace {

constexpr std::array both_forms{HouseholderForm::dense, HouseholderForm::factored};

arma::mat normal(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  RandomStream stream(Seed{seed}, Purpose::test);
  return random_normal(rows, columns, stream);
}

Householder random_of(std::size_t d, std::size_t m, std::uint64_t seed) {
  return {normal(d, m, seed)};
}

Householder zeros_like(const Householder& rotation) {
  return {arma::mat(arma::size(rotation.v), arma::fill::zeros)};
}

/// The product of the reflections in the order of the definition, in extended precision.
arma::mat reference_matrix(const Householder& rotation) {
  const std::size_t d = rotation.v.n_rows;
  arma::mat q(d, d);
  std::vector<long double> v(rotation.v.begin(), rotation.v.end());
  for (std::size_t r = 0; r < d; ++r) {
    std::vector<long double> row(d, 0.0L);
    row[r] = 1.0L;
    testing::reflect_row(row, v);
    for (std::size_t c = 0; c < d; ++c) q(r, c) = static_cast<double>(row[c]);
  }
  return q;
}

struct Pulled {
  arma::mat x_bar;
  Householder grad;
};

Pulled pull_back(const Householder& rotation, const arma::mat& x, const arma::mat& y_bar, HouseholderForm form) {
  const PreparedHouseholder prepared = prepare(rotation, form);
  Pulled pulled{{}, zeros_like(rotation)};
  arma::mat y, statistic = zero_statistic(prepared);
  RotationScratch scratch;
  apply(prepared, x, y, scratch);
  backward(prepared, y, y_bar, pulled.x_bar, statistic, scratch);
  finish(prepared, statistic, pulled.grad);
  return pulled;
}

/// All vectors' gradients from G = Xᵀȳ by the recursion over the cotangents M_i of the H_i, O(M·D³) as it stands here:
///   M_1 = G Qᵀ H_1, M_{i+1} = H_i M_i H_{i+1}, v̄_i = −(2/s)(M_i + M_iᵀ)v_i + (4 v_iᵀM_i v_i/s²)v_i.
arma::mat recursion(const Householder& rotation, const arma::mat& g) {
  const arma::uword d = rotation.v.n_rows, count = rotation.v.n_cols;
  const auto reflection = [&](arma::uword i) -> arma::mat {
    const arma::vec v = rotation.v.col(i);
    return arma::eye(d, d) - 2.0 * v * v.t() / arma::dot(v, v);
  };
  arma::mat gradient(d, count);
  arma::mat bar = g * reference_matrix(rotation).t() * reflection(0);
  for (arma::uword i = 0; i < count; ++i) {
    const arma::vec v = rotation.v.col(i);
    const double s = arma::dot(v, v);
    gradient.col(i) = -(2.0 / s) * (bar + bar.t()) * v + 4.0 * arma::dot(v, bar * v) / (s * s) * v;
    if (i + 1 < count) bar = (reflection(i) * bar * reflection(i + 1)).eval();
  }
  return gradient;
}

std::vector<std::pair<std::size_t, std::size_t>> shapes() {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (const std::size_t d : {1, 2, 7, 43})
    for (const std::size_t m : {std::size_t{1}, std::size_t{3}, d, d + 4}) all.emplace_back(d, m);
  return all;
}

}  // namespace

TEST_CASE("the matrix is the product of the reflections, in their order, and orthogonal") {
  for (const auto& [d, m] : shapes()) {
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
  const arma::mat moved = rotate(rotation, arma::mat{{5, 6, 7}});
  CHECK(arma::abs(moved - arma::mat{{6, 7, 5}}).max() < 1e-14);
  CHECK(arma::abs(rotate_back(rotation, moved) - arma::mat{{5, 6, 7}}).max() < 1e-14);
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

      const arma::vec one = normal(d, 1, 3);
      for (const double spread : {0.0, 1e-16, 1e-8, 1e-3}) {
        CAPTURE(spread);
        rotation.v = spread * normal(d, m, 4);
        rotation.v.each_col() += one;
        CHECK(testing::is_orthogonal(matrix(rotation)));
        if (m <= d) {
          const PreparedHouseholder factored = prepare(rotation, HouseholderForm::factored);
          arma::mat y;
          RotationScratch scratch;
          apply(factored, arma::eye(d, d), y, scratch);
          CHECK(testing::is_orthogonal(y));
        }
      }
    }
  // Squares of these under- and overflow.
  for (const double size : {5e-324, 1e-300, 1e-150, 1e150, 1e300, 1.7e308})
    CHECK(testing::is_orthogonal(matrix({arma::mat(3, 2, arma::fill::value(size))})));
}

TEST_CASE("gradients match automatic differentiation") {
  for (const std::size_t d : {1, 2, 7})
    for (const std::size_t m : {std::size_t{1}, std::size_t{3}, d, d + 4}) {
      CAPTURE(d);
      CAPTURE(m);
      const Householder rotation = random_of(d, m, d * 100 + m);
      const arma::mat x = normal(5, d, 1), y_bar = normal(5, d, 2);
      const arma::mat expected = testing::autodiff_gradient(x, rotation.v, y_bar);
      for (const HouseholderForm form : both_forms) {
        const Pulled pulled = pull_back(rotation, x, y_bar, form);
        // In one dimension every reflection is x → −x: the gradient is zero.
        if (d == 1)
          CHECK(arma::abs(pulled.grad.v).max() < 1e-14);
        else
          CHECK(relative_error(pulled.grad.v, expected) < 1e-11);
      }
    }
}

TEST_CASE("gradients match sixth-order differences and the recursion over single reflections") {
  for (const auto& [d, m] : shapes()) {
    if (d == 1) continue;
    CAPTURE(d);
    CAPTURE(m);
    Householder rotation = random_of(d, m, d * 100 + m);
    arma::mat x = normal(6, d, 1);
    const arma::mat y_bar = normal(6, d, 2);
    const auto loss = [&] { return arma::dot(y_bar, rotate(rotation, x)); };
    const arma::vec v_bar = testing::numeric_gradient(loss, rotation.v.memptr(), rotation.v.n_elem);
    const arma::vec x_bar = testing::numeric_gradient(loss, x.memptr(), x.n_elem);
    for (const HouseholderForm form : both_forms) {
      const Pulled pulled = pull_back(rotation, x, y_bar, form);
      CHECK(relative_error(arma::vectorise(pulled.grad.v), v_bar) < 1e-7);
      CHECK(relative_error(arma::vectorise(pulled.x_bar), x_bar) < 1e-7);
      CHECK(relative_error(pulled.grad.v, recursion(rotation, x.t() * y_bar)) < 1e-12);
    }
  }
}

TEST_CASE("the checks reject a recursion with a wrong term") {
  const Householder rotation = random_of(7, 3, 1);
  const arma::mat x = normal(5, 7, 1), y_bar = normal(5, 7, 2);
  const arma::mat expected = testing::autodiff_gradient(x, rotation.v, y_bar);
  const arma::mat g = x.t() * y_bar;
  CHECK(relative_error(recursion(rotation, g), expected) < 1e-11);
  CHECK(relative_error(recursion(rotation, g.t()), expected) > 1e-3);

  // The term along v_i left out, in one vector: as small a mistake as a formula can have.
  arma::mat planted = expected;
  planted.col(1) += 1e-9 * rotation.v.col(1);
  CHECK(relative_error(planted, expected) > 1e-11);

  // Input in place of output in what is gathered.
  const PreparedHouseholder prepared = prepare(rotation);
  Householder grad = zeros_like(rotation);
  finish(prepared, g, grad);
  CHECK(relative_error(grad.v, expected) > 1e-3);
}

TEST_CASE("dense and factored forms agree, large sizes too, and every gradient is orthogonal to its vector") {
  for (const auto& [d, m] : std::vector<std::pair<std::size_t, std::size_t>>{{5, 2}, {43, 43}, {200, 20}, {64, 90}}) {
    CAPTURE(d);
    CAPTURE(m);
    const Householder rotation = random_of(d, m, d + m);
    const arma::mat x = normal(300, d, 5), y_bar = normal(300, d, 6);
    const Pulled dense = pull_back(rotation, x, y_bar, HouseholderForm::dense);
    const Pulled factored = pull_back(rotation, x, y_bar, HouseholderForm::factored);
    CHECK(relative_error(factored.grad.v, dense.grad.v) < 1e-13);
    CHECK(relative_error(factored.x_bar, dense.x_bar) < 1e-13);
    for (const Pulled* pulled : {&dense, &factored})
      for (arma::uword i = 0; i < m; ++i) {
        const arma::vec v = rotation.v.col(i), v_bar = pulled->grad.v.col(i);
        CHECK(std::abs(arma::dot(v, v_bar)) < 1e-12 * arma::norm(v) * arma::norm(v_bar));
      }
    const PreparedHouseholder prepared = prepare(rotation);
    CHECK(prepared.form == (d == 200 ? HouseholderForm::factored : HouseholderForm::dense));
  }
}

TEST_CASE("a longer vector has a smaller gradient, by the same factor") {
  Householder rotation = random_of(7, 3, 1);
  const arma::mat x = normal(5, 7, 1), y_bar = normal(5, 7, 2);
  const arma::mat before = pull_back(rotation, x, y_bar, HouseholderForm::dense).grad.v;
  const std::array<double, 3> factor{1e-140, -3.0, 1e150};
  for (arma::uword i = 0; i < 3; ++i) rotation.v.col(i) *= factor[i];
  const arma::mat after = pull_back(rotation, x, y_bar, HouseholderForm::dense).grad.v;
  for (arma::uword i = 0; i < 3; ++i) CHECK(relative_error(after.col(i) * factor[i], before.col(i)) < 1e-13);
}

TEST_CASE("rotate_back undoes rotate; the one-call backward adds to the gradient") {
  for (const auto& [d, m] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {7, 3}, {43, 43}, {100, 10}, {3, 0}}) {
    CAPTURE(d);
    const Householder rotation = random_of(d, m, 1);
    const arma::mat x = normal(300, d, 2), y_bar = normal(300, d, 3);
    const arma::mat y = rotate(rotation, x);
    CHECK(arma::abs(rotate_back(rotation, y) - x).max() < 1e-13);
    CHECK(arma::abs(y - x * matrix(rotation)).max() < 1e-13);

    const Pulled expected = pull_back(rotation, x, y_bar, prepare(rotation).form);
    Householder grad{arma::mat(d, m, arma::fill::ones)};
    CHECK(testing::same_bytes(backward(rotation, x, y_bar, grad), expected.x_bar));
    CHECK(arma::approx_equal(grad.v, expected.grad.v + 1.0, "absdiff", 1e-12));
    CHECK(rotate(rotation, arma::mat(0, d)).n_cols == d);
  }
}

TEST_CASE("any orthogonal matrix is a product of D or D − 1 reflections") {
  RandomStream stream(Seed{1}, Purpose::test);
  for (const std::size_t d : {1, 2, 3, 7, 43, 150}) {
    std::vector<arma::mat> all{arma::eye(d, d), -arma::eye(d, d), arma::shift(arma::mat(arma::eye(d, d)), d > 1 ? 1 : 0)};
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
        CHECK(arma::norm(rotation.v.col(i)) == doctest::Approx(std::sqrt(static_cast<double>(d))));
    }
  }
}

TEST_CASE("random vectors are the stream's normals") {
  RandomStream stream(Seed{4}, Purpose::test);
  CHECK(testing::same_bytes(random_householder(7, 3, stream).v, normal(7, 3, 4)));
}

TEST_CASE("sums over blocks have the same bytes for any number of threads, and nothing is allocated anew") {
  for (const HouseholderForm form : both_forms) {
    const Householder rotation = random_of(70, 20, 1);
    const arma::mat x = normal(2000, 70, 2), y_bar = normal(2000, 70, 3);
    const PreparedHouseholder prepared = prepare(rotation, form);
    const auto gradient = [&](int threads) {
      const arma::mat statistic = reduce_rows<arma::mat>(
          x.n_rows, threads,
          [&](RowRange rows) {
            const arma::mat block = x.rows(rows.begin, rows.end - 1), bar = y_bar.rows(rows.begin, rows.end - 1);
            arma::mat y, x_bar, part = zero_statistic(prepared);
            RotationScratch scratch;
            apply(prepared, block, y, scratch);
            backward(prepared, y, bar, x_bar, part, scratch);
            return part;
          },
          [](arma::mat& a, const arma::mat& b) { a += b; });
      Householder grad = zeros_like(rotation);
      finish(prepared, statistic, grad);
      return grad.v;
    };
    const arma::mat one = gradient(1);
    CHECK(relative_error(one, pull_back(rotation, x, y_bar, form).grad.v) < 1e-12);
    for (const int threads : {2, 3, 8}) CHECK(testing::same_bytes(gradient(threads), one));

    arma::mat y, x_bar, statistic = zero_statistic(prepared);
    RotationScratch scratch;
    const auto pass = [&] {
      apply(prepared, x, y, scratch);
      backward(prepared, y, y_bar, x_bar, statistic, scratch);
      return std::array<const double*, 5>{y.memptr(), x_bar.memptr(), statistic.memptr(), scratch.yw.memptr(),
                                          scratch.y_bar_w.memptr()};
    };
    const auto first = pass();
    CHECK(pass() == first);
  }
}

TEST_CASE("mistakes are named") {
  const Householder rotation = random_of(3, 2, 1);
  Householder grad = zeros_like(rotation);
  CHECK_THROWS_WITH_AS(rotate(rotation, arma::mat(5, 4)), doctest::Contains("5×4"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(rotate_back(rotation, arma::mat(5, 4)), doctest::Contains("3 columns"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(backward(rotation, arma::mat(5, 3), arma::mat(4, 3), grad), doctest::Contains("4×3"),
                       std::invalid_argument);
  grad.v.set_size(3, 1);
  CHECK_THROWS_WITH_AS(backward(rotation, arma::mat(5, 3, arma::fill::zeros), arma::mat(5, 3, arma::fill::zeros), grad),
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
