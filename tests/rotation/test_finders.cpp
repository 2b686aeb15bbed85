#include <vector>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/rotation/detail/orthogonal.hpp"
#include "gaussianize/rotation/ica.hpp"
#include "gaussianize/rotation/pca.hpp"
#include "gaussianize/rotation/random.hpp"
#include "gaussianize/rotation/sliced.hpp"

#include "rotation/checks.hpp"
#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

std::vector<arma::mat> all_rotations(const arma::mat& x, int threads) {
  RandomStream stream(Seed{11}, Purpose::rotation);
  std::vector<arma::mat> found{random_rotation(x.n_cols, stream), pca_rotation(x, threads)};
  for (const Contrast contrast : {Contrast::log_cosh, Contrast::gauss, Contrast::cubic, Contrast::skew})
    found.push_back(ica(x, stream, {.contrast = contrast, .max_iterations = 12, .threads = threads}).q);
  const arma::mat standard = (x.each_row() - arma::mean(x)).eval().each_row() / arma::stddev(x);
  found.push_back(sliced_rotation(standard, stream, {.max_iterations = 6, .threads = threads}).q);
  return found;
}

}  // namespace

TEST_CASE("every finder's matrix is orthogonal to 30·D·ε with its signs fixed") {
  for (const arma::uword d : {1, 2, 7, 43, 128}) {
    CAPTURE(d);
    const std::vector<arma::mat> found = all_rotations(testing::lopsided_data(700, d, 100 + d), 1);
    for (std::size_t k = 0; k < found.size(); ++k) {
      CAPTURE(k);
      REQUIRE(found[k].n_rows == d);
      CHECK(testing::is_orthogonal(found[k]));
      if (k > 0) CHECK(testing::signs_are_fixed(found[k]));
    }
  }
}

TEST_CASE("the checks reject what they should") {
  RandomStream stream(Seed{12}, Purpose::test);
  arma::mat q = random_rotation(7, stream);
  detail::fix_signs(q);
  REQUIRE(testing::is_orthogonal(q));
  REQUIRE(testing::signs_are_fixed(q));
  arma::mat off = q;
  off(3, 3) += 1e-12;
  CHECK_FALSE(testing::is_orthogonal(off));
  off(3, 3) = arma::datum::nan;
  CHECK_FALSE(testing::is_orthogonal(off));
  arma::mat flipped = q;
  flipped.col(2) *= -1.0;
  CHECK_FALSE(testing::signs_are_fixed(flipped));
}

TEST_CASE("the number of threads changes no byte") {
  const arma::mat x = testing::lopsided_data(9001, 7, 13);
  const std::vector<arma::mat> one = all_rotations(x, 1);
  for (const int threads : {2, 3, 8, 0}) {
    const std::vector<arma::mat> more = all_rotations(x, threads);
    for (std::size_t k = 0; k < one.size(); ++k) {
      CAPTURE(threads);
      CAPTURE(k);
      CHECK(testing::same_bytes(one[k], more[k]));
    }
  }
}

TEST_CASE("the number of threads changes no byte of what comes beside the rotation") {
  const arma::mat x = testing::lopsided_data(9001, 5, 14);
  const auto run = [&](int threads) {
    RandomStream stream(Seed{15}, Purpose::rotation);
    const IcaResult i = ica(x, stream, {.threads = threads});
    const SlicedResult s = sliced_rotation(x, stream, {.max_iterations = 4, .threads = threads});
    return arma::join_cols(i.whitening, s.distance,
                           arma::mat(1, 5).fill(static_cast<double>(100 * i.iterations + s.iterations)));
  };
  const arma::mat one = run(1);
  for (const int threads : {2, 3, 8}) CHECK(testing::same_bytes(one, run(threads)));
}
