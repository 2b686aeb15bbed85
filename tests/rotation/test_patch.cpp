#include <initializer_list>
#include <set>
#include <stdexcept>
#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/rotation/detail/patch_evaluator.hpp"
#include "gaussianize/rotation/patch.hpp"
#include "gaussianize/rotation/rotation.hpp"

#include "rotation/checks.hpp"
#include "rotation/gradients.hpp"
#include "rotation/pull_back.hpp"
#include "support/bytes.hpp"
#include "support/draws.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::normals;
using testing::relative_error;

namespace {

PatchRotation random_of(std::size_t side, std::size_t patch, std::size_t m, std::size_t shift, bool vertical) {
  RandomStream stream(Seed{side + 10 * patch + 100 * m}, Purpose::test);
  PatchRotation rotation = random_patch_rotation(side, patch, m, stream);
  rotation.shift = shift;
  rotation.vertical = vertical;
  return rotation;
}

PatchRotation zeros_like(PatchRotation rotation) {
  rotation.v.zeros();
  return rotation;
}

/// One image through the definition, step by step: shift, cut, reflect, join.
arma::rowvec by_hand(const PatchRotation& rotation, const arma::rowvec& image) {
  const std::size_t side = rotation.side, p = rotation.patch;
  arma::mat picture = arma::reshape(image, side, side).t();
  const arma::uword along = rotation.vertical ? 0 : 1;
  picture = arma::shift(picture, static_cast<arma::sword>(rotation.shift), along);
  std::size_t t = 0;
  for (std::size_t top = 0; top < side; top += p)
    for (std::size_t left = 0; left < side; left += p, ++t) {
      arma::mat window = picture.submat(top, left, top + p - 1, left + p - 1);
      std::vector<double> pixels;
      for (std::size_t r = 0; r < p; ++r)
        for (std::size_t c = 0; c < p; ++c) pixels.push_back(window(r, c));
      const arma::mat v = rotation.v.slice(t);
      testing::reflect_row(pixels, std::vector<double>(v.begin(), v.end()));
      for (std::size_t i = 0; i < p * p; ++i) picture(top + i / p, left + i % p) = pixels[i];
    }
  return arma::vectorise(picture, 1);
}

/// x → −x in one patch and x → x in the others, by two reflections a pixel: along its axis, and along the same again
/// or, in the flipped patch, along that of pixel 0, an even number of times in all.
PatchRotation sign_flips(std::size_t side, std::size_t patch, std::size_t flipped, std::size_t shift, bool vertical) {
  const std::size_t pixels = patch * patch, patches = side * side / pixels;
  PatchRotation rotation{side, patch, shift, vertical, arma::cube(pixels, 2 * pixels, patches, arma::fill::zeros)};
  for (std::size_t t = 0; t < patches; ++t)
    for (std::size_t i = 0; i < pixels; ++i) {
      rotation.v(i, 2 * i, t) = 1.0;
      rotation.v(t == flipped ? 0 : i, 2 * i + 1, t) = 1.0;
    }
  return rotation;
}

}  // namespace

TEST_CASE("the map is shift, cut, reflect and join, and its matrix orthogonal") {
  for (const std::size_t side : {4, 6})
    for (const std::size_t patch : {1, 2, 3}) {
      if (side % patch != 0) continue;
      for (std::size_t shift = 0; shift < side; ++shift)
        for (const bool vertical : {false, true}) {
          CAPTURE(side);
          CAPTURE(patch);
          CAPTURE(shift);
          CAPTURE(vertical);
          const PatchRotation rotation = random_of(side, patch, 3, shift, vertical);
          const arma::mat x = normals(3, side * side, 1);
          const arma::mat y = forward(rotation, x);
          for (arma::uword n = 0; n < x.n_rows; ++n)
            CHECK(arma::abs(y.row(n) - by_hand(rotation, x.row(n))).max() < 1e-13);
          CHECK(arma::abs(inverse(rotation, y) - x).max() < 1e-13);
          const arma::mat q = matrix(rotation);
          CHECK(arma::abs(x * q - y).max() < 1e-13);
          CHECK(testing::is_orthogonal(q));
          CHECK(arma::accu(q != 0.0) <= side * side * patch * patch);
          CHECK(dimension(rotation) == side * side);
        }
    }
}

TEST_CASE("4×4 images by hand: shifts wrap around, and the output is the shifted image") {
  const arma::rowvec image = arma::regspace<arma::rowvec>(0, 15);
  const auto moved = [&](std::size_t flipped, std::size_t shift, bool vertical) {
    return arma::rowvec(forward(sign_flips(4, 2, flipped, shift, vertical), image));
  };
  // To the right by one: every row's last pixel comes first. The upper left patch is pixels 0, 1, 4, 5 of the output.
  const arma::rowvec right{-3, -0., 1, 2, -7, -4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14};
  CHECK(arma::abs(moved(0, 1, false) - right).max() < 1e-13);
  // Down by three, which is up by one; the lower right patch is pixels 10, 11, 14, 15.
  const arma::rowvec down{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, -14, -15, 0, 1, -2, -3};
  CHECK(arma::abs(moved(3, 3, true) - down).max() < 1e-13);
  // Patches are numbered row by row: the second is the upper right.
  const arma::rowvec still{0, 1, -2, -3, 4, 5, -6, -7, 8, 9, 10, 11, 12, 13, 14, 15};
  CHECK(arma::abs(moved(1, 0, true) - still).max() < 1e-13);
}

TEST_CASE("every column belongs to one patch") {
  const PatchEvaluator evaluator = make_evaluator(random_of(6, 3, 1, 4, true));
  for (const arma::umat& columns : {evaluator.source, evaluator.target}) {
    const std::set<arma::uword> distinct(columns.begin(), columns.end());
    CHECK(columns.n_rows == 9);
    CHECK(columns.n_cols == 4);
    CHECK(distinct.size() == 36);
    CHECK(*distinct.rbegin() == 35);
  }
}

TEST_CASE("gradients match sixth-order differences and automatic differentiation") {
  struct Case {
    std::size_t side, patch, m, shift;
    bool vertical;
  };
  for (const Case& c : std::vector<Case>{
           {4, 2, 4, 1, false}, {4, 2, 1, 3, true}, {6, 2, 6, 5, true}, {6, 3, 9, 2, false}, {6, 3, 3, 0, true}}) {
    CAPTURE(c.side);
    CAPTURE(c.patch);
    CAPTURE(c.m);
    PatchRotation rotation = random_of(c.side, c.patch, c.m, c.shift, c.vertical);
    const std::size_t d = dimension(rotation);
    arma::mat x = normals(4, d, 1);
    const arma::mat y_bar = normals(4, d, 2);
    PatchRotation grad = zeros_like(rotation);
    const arma::mat x_bar = testing::backward(rotation, x, y_bar, grad);
    const auto loss = [&] { return arma::dot(y_bar, forward(rotation, x)); };
    const arma::vec v_bar = testing::numeric_gradient(loss, rotation.v.memptr(), rotation.v.n_elem);
    CHECK(relative_error(arma::vectorise(grad.v), v_bar) < 1e-7);
    CHECK(relative_error(arma::vectorise(x_bar), testing::numeric_gradient(loss, x.memptr(), x.n_elem)) < 1e-7);

    const PatchEvaluator evaluator = make_evaluator(rotation);
    const arma::uword patches = evaluator.patches.size();
    for (arma::uword t = 0; t < patches; ++t) {
      const arma::uvec source = evaluator.source.col(t), target = evaluator.target.col(t);
      const arma::mat expected = testing::autodiff_gradient(x.cols(source), rotation.v.slice(t), y_bar.cols(target));
      CHECK(relative_error(grad.v.slice(t), expected) < 1e-11);
      // Another patch's gradient is not this one's.
      CHECK(relative_error(grad.v.slice((t + 1) % patches), expected) > 1e-3);
    }

    // Both forms, and gradients are added.
    PatchRotation sum = grad;
    const PatchEvaluator factored = make_evaluator(rotation, HouseholderForm::factored);
    arma::mat y, other_x_bar, gradient_sums;
    reset_gradient_sums(factored, gradient_sums);
    RotationScratch scratch;
    forward(factored, x, y, scratch);
    backward(factored, y, y_bar, other_x_bar, gradient_sums, scratch);
    add_gradient(factored, gradient_sums, sum);
    CHECK(relative_error(other_x_bar, x_bar) < 1e-13);
    CHECK(relative_error(arma::vectorise(sum.v), arma::vectorise(2.0 * grad.v)) < 1e-13);
  }
}

TEST_CASE("without reflections it is the shift") {
  const PatchRotation rotation{6, 2, 5, false, arma::cube(4, 0, 9)};
  const arma::mat x = normals(3, 36, 1);
  CHECK(arma::abs(forward(rotation, x).col(5) - x.col(0)).max() == 0.0);
  PatchRotation grad = rotation;
  CHECK(testing::same_bytes(testing::backward(rotation, x, forward(rotation, x), grad), x));
}

TEST_CASE("a random rotation draws vectors, shift and direction") {
  RandomStream stream(Seed{1}, Purpose::test);
  std::set<std::size_t> shifts;
  int vertical = 0;
  for (int i = 0; i < 100; ++i) {
    const PatchRotation rotation = random_patch_rotation(6, 2, 4, stream);
    shifts.insert(rotation.shift);
    vertical += rotation.vertical ? 1 : 0;
    CHECK(rotation.v.n_slices == 9);
    CHECK(arma::abs(rotation.v).min() > 0.0);
  }
  CHECK(shifts == std::set<std::size_t>{0, 1, 2, 3, 4, 5});
  CHECK(vertical > 25);
  CHECK(vertical < 75);
}

TEST_CASE("sums over blocks have the same bytes for any number of threads") {
  const PatchRotation rotation = random_of(6, 3, 9, 2, false);
  const arma::mat x = normals(1500, 36, 2), y_bar = normals(1500, 36, 3);
  const PatchEvaluator evaluator = make_evaluator(rotation);
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
    PatchRotation grad = zeros_like(rotation);
    add_gradient(evaluator, gradient_sums, grad);
    return arma::mat(arma::vectorise(grad.v));
  };
  const arma::mat one = gradient(1);
  for (const int threads : {2, 3, 8}) CHECK(testing::same_bytes(gradient(threads), one));
}

TEST_CASE("mistakes in the sizes are named") {
  const PatchRotation rotation = random_of(4, 2, 3, 1, false);
  RandomStream stream(Seed{1}, Purpose::test);
  CHECK_THROWS_WITH_AS(random_patch_rotation(5, 2, 3, stream), doctest::Contains("do not tile"), std::invalid_argument);
  CHECK_THROWS_AS(random_patch_rotation(4, 0, 3, stream), std::invalid_argument);
  CHECK_THROWS_AS(random_patch_rotation(0, 2, 3, stream), std::invalid_argument);
  CHECK_THROWS_WITH_AS(forward(rotation, arma::mat(2, 15)), doctest::Contains("2×15"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(inverse(rotation, arma::mat(2, 17)), doctest::Contains("takes 16 columns"),
                       std::invalid_argument);
  PatchRotation broken = rotation;
  broken.shift = 4;
  CHECK_THROWS_WITH_AS(matrix(broken), doctest::Contains("shift is 4"), std::invalid_argument);
  broken = rotation;
  broken.v.shed_slice(0);
  CHECK_THROWS_WITH_AS(matrix(broken), doctest::Contains("4×3×3"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      testing::backward(rotation, arma::mat(2, 16, arma::fill::zeros), arma::mat(2, 16, arma::fill::zeros), broken),
      doctest::Contains("4×3×3"), std::invalid_argument);
}
