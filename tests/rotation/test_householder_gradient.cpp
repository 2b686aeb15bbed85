#include <array>
#include <cmath>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/rotation/detail/householder_evaluator.hpp"
#include "gaussianize/rotation/rotation.hpp"

#include "rotation/checks.hpp"
#include "rotation/gradients.hpp"
#include "rotation/pull_back.hpp"
#include "rotation/reflections.hpp"
#include "support/bytes.hpp"
#include "support/draws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::normals;
using testing::random_of;
using testing::relative_error;
using testing::Shape;
using testing::shapes;
using testing::zeros_like;

namespace {

constexpr std::array both_forms{HouseholderForm::dense, HouseholderForm::factored};

struct Pulled {
  arma::mat x_bar;
  Householder grad;
};

Pulled pull_back(const Householder& rotation, const arma::mat& x, const arma::mat& y_bar, HouseholderForm form) {
  Pulled pulled{{}, zeros_like(rotation)};
  pulled.x_bar = testing::backward(rotation, x, y_bar, pulled.grad, form);
  return pulled;
}

/// All vectors' gradients from G = Xᵀȳ by the recursion over the cotangents M_i of the H_i, O(M·D³) as it stands here:
///   M_1 = G Qᵀ H_1, M_{i+1} = H_i M_i H_{i+1}, v̄_i = −(2/s)(M_i + M_iᵀ)v_i + (4 v_iᵀM_i v_i/s²)v_i.
arma::mat recursion(const Householder& rotation, const arma::mat& g, double along = 4.0) {
  const arma::uword d = rotation.v.n_rows, count = rotation.v.n_cols;
  const auto reflection = [&](arma::uword i) -> arma::mat {
    const arma::vec v = rotation.v.col(i);
    return arma::eye(d, d) - 2.0 * v * v.t() / arma::dot(v, v);
  };
  arma::mat gradient(d, count);
  arma::mat bar = g * testing::reference_matrix(rotation).t() * reflection(0);
  for (arma::uword i = 0; i < count; ++i) {
    const arma::vec v = rotation.v.col(i);
    const double s = arma::dot(v, v);
    gradient.col(i) = -(2.0 / s) * (bar + bar.t()) * v + along * arma::dot(v, bar * v) / (s * s) * v;
    if (i + 1 < count) bar = (reflection(i) * bar * reflection(i + 1)).eval();
  }
  return gradient;
}

}  // namespace

TEST_CASE("gradients match automatic differentiation") {
  for (const std::size_t d : {1, 2, 7})
    for (const std::size_t m : {std::size_t{1}, std::size_t{3}, d, d + 4}) {
      CAPTURE(d);
      CAPTURE(m);
      const Householder rotation = random_of(d, m, d * 100 + m);
      const arma::mat x = normals(5, d, 1), y_bar = normals(5, d, 2);
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
  for (const Shape shape : shapes()) {
    const std::size_t d = shape.d, m = shape.m;
    if (d == 1) continue;
    CAPTURE(d);
    CAPTURE(m);
    Householder rotation = random_of(d, m, d * 100 + m);
    arma::mat x = normals(6, d, 1);
    const arma::mat y_bar = normals(6, d, 2);
    const auto loss = [&] { return arma::dot(y_bar, forward(rotation, x)); };
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
  const arma::mat x = normals(5, 7, 1), y_bar = normals(5, 7, 2);
  const arma::mat expected = testing::autodiff_gradient(x, rotation.v, y_bar);
  const arma::mat g = x.t() * y_bar;
  CHECK(relative_error(recursion(rotation, g), expected) < 1e-11);
  CHECK(relative_error(recursion(rotation, g.t()), expected) > 1e-3);

  CHECK(relative_error(recursion(rotation, g, 4.0 + 1e-9), expected) > 1e-11);

  // Input in place of output in what is gathered.
  const HouseholderEvaluator evaluator = make_evaluator(rotation);
  Householder grad = zeros_like(rotation);
  add_gradient(evaluator, g, grad);
  CHECK(relative_error(grad.v, expected) > 1e-3);
}

TEST_CASE("dense and factored forms agree, large sizes too, and every gradient is orthogonal to its vector") {
  for (const Shape shape : std::vector<Shape>{{5, 2}, {43, 43}, {200, 20}, {64, 90}}) {
    const std::size_t d = shape.d, m = shape.m;
    CAPTURE(d);
    CAPTURE(m);
    const Householder rotation = random_of(d, m, d + m);
    const arma::mat x = normals(300, d, 5), y_bar = normals(300, d, 6);
    const Pulled dense = pull_back(rotation, x, y_bar, HouseholderForm::dense);
    const Pulled factored = pull_back(rotation, x, y_bar, HouseholderForm::factored);
    CHECK(relative_error(factored.grad.v, dense.grad.v) < 1e-13);
    CHECK(relative_error(factored.x_bar, dense.x_bar) < 1e-13);
    for (const Pulled* pulled : {&dense, &factored})
      for (arma::uword i = 0; i < m; ++i) {
        const arma::vec v = rotation.v.col(i), v_bar = pulled->grad.v.col(i);
        CHECK(std::abs(arma::dot(v, v_bar)) < 1e-12 * arma::norm(v) * arma::norm(v_bar));
      }
    const HouseholderEvaluator evaluator = make_evaluator(rotation);
    CHECK(evaluator.form == (d == 200 ? HouseholderForm::factored : HouseholderForm::dense));
  }
}

TEST_CASE("a longer vector has a smaller gradient, by the same factor") {
  Householder rotation = random_of(7, 3, 1);
  const arma::mat x = normals(5, 7, 1), y_bar = normals(5, 7, 2);
  const arma::mat before = pull_back(rotation, x, y_bar, HouseholderForm::dense).grad.v;
  const std::array<double, 3> factor{1e-140, -3.0, 1e150};
  for (arma::uword i = 0; i < 3; ++i) rotation.v.col(i) *= factor[i];
  const arma::mat after = pull_back(rotation, x, y_bar, HouseholderForm::dense).grad.v;
  for (arma::uword i = 0; i < 3; ++i) CHECK(relative_error(after.col(i) * factor[i], before.col(i)) < 1e-13);
}

TEST_CASE("inverse undoes forward, and backward adds to the gradient") {
  for (const Shape shape : std::vector<Shape>{{1, 1}, {7, 3}, {43, 43}, {100, 10}, {3, 0}}) {
    const std::size_t d = shape.d, m = shape.m;
    CAPTURE(d);
    const Householder rotation = random_of(d, m, 1);
    const arma::mat x = normals(300, d, 2), y_bar = normals(300, d, 3);
    const arma::mat y = forward(rotation, x);
    CHECK(arma::abs(inverse(rotation, y) - x).max() < 1e-13);
    CHECK(arma::abs(y - x * matrix(rotation)).max() < 1e-13);

    const Pulled expected = pull_back(rotation, x, y_bar, make_evaluator(rotation).form);
    Householder grad{arma::mat(d, m, arma::fill::ones)};
    // Rows are worked on in blocks: the last bits of a product depend on its shape with some of BLAS's kernels.
    CHECK(arma::abs(testing::backward(rotation, x, y_bar, grad) - expected.x_bar).max() < 1e-13);
    CHECK(arma::approx_equal(grad.v, expected.grad.v + 1.0, "absdiff", 1e-12));
    CHECK(forward(rotation, arma::mat(0, d)).n_cols == d);
  }
}

TEST_CASE("sums over blocks have the same bytes for any number of threads, and nothing is allocated anew") {
  for (const HouseholderForm form : both_forms) {
    const Householder rotation = random_of(70, 20, 1);
    const arma::mat x = normals(2000, 70, 2), y_bar = normals(2000, 70, 3);
    const HouseholderEvaluator evaluator = make_evaluator(rotation, form);
    const auto gradient = [&](int threads) {
      const arma::mat gradient_sums = reduce_rows<arma::mat>(
          x.n_rows, threads,
          [&](RowRange rows) {
            const arma::mat block = x.rows(rows.begin, rows.end - 1), bar = y_bar.rows(rows.begin, rows.end - 1);
            arma::mat y, x_bar, part;
            reset_gradient_sums(evaluator, part);
            RotationScratch scratch;
            forward(evaluator, block, y, scratch);
            backward(evaluator, y, bar, x_bar, part, scratch);
            return part;
          },
          [](arma::mat& a, const arma::mat& b) { a += b; });
      Householder grad = zeros_like(rotation);
      add_gradient(evaluator, gradient_sums, grad);
      return grad.v;
    };
    const arma::mat one = gradient(1);
    CHECK(relative_error(one, pull_back(rotation, x, y_bar, form).grad.v) < 1e-12);
    for (const int threads : {2, 3, 8}) CHECK(testing::same_bytes(gradient(threads), one));

    arma::mat y, x_bar, gradient_sums;
    reset_gradient_sums(evaluator, gradient_sums);
    RotationScratch scratch;
    const auto pass = [&] {
      forward(evaluator, x, y, scratch);
      backward(evaluator, y, y_bar, x_bar, gradient_sums, scratch);
      return std::array<const double*, 5>{y.memptr(), x_bar.memptr(), gradient_sums.memptr(), scratch.yw.memptr(),
                                          scratch.y_bar_w.memptr()};
    };
    const auto first = pass();
    CHECK(pass() == first);
  }
}
