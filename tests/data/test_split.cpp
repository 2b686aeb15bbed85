#include <algorithm>
#include <stdexcept>

#include <armadillo>
#include <doctest/doctest.h>

#include "gaussianize/data/split.hpp"

using namespace gaussianize;

namespace {

bool are_all_rows(arma::uvec parts, arma::uword rows) {
  return parts.n_elem == rows && arma::all(arma::sort(parts) == arma::regspace<arma::uvec>(0, rows - 1));
}

}  // namespace

TEST_CASE("a split has every row once, in sizes by largest remainder") {
  for (const std::size_t rows : {10, 11, 14, 15, 99, 1000}) {
    CAPTURE(rows);
    const SplitRows s = split_rows(rows, {}, Seed{1});
    CHECK(are_all_rows(arma::join_cols(s.train, s.validation, s.test), rows));
    CHECK(std::abs(static_cast<double>(s.test.n_elem) - 0.1 * static_cast<double>(rows)) < 1);
    CHECK(std::abs(static_cast<double>(s.train.n_elem) - 0.8 * static_cast<double>(rows)) < 1);
  }
  // 14: 11.2, 1.4, 1.4 leave one row, which the tie gives to validation; 30: 0.1·30 is 3, though not in binary.
  CHECK(split_rows(14, {}, Seed{1}).validation.n_elem == 2);
  CHECK(split_rows(14, {}, Seed{1}).test.n_elem == 1);
  CHECK(split_rows(30, {0.7, 0.2, 0.1}, Seed{1}).test.n_elem == 3);
  CHECK(split_rows(10, {0.9, 0, 0.1}, Seed{1}).validation.n_elem == 0);
}

TEST_CASE("the seed decides the split, and every row is as likely to be tested") {
  CHECK(arma::all(split_rows(50, {}, Seed{3}).train == split_rows(50, {}, Seed{3}).train));
  CHECK_FALSE(arma::all(split_rows(50, {}, Seed{3}).train == split_rows(50, {}, Seed{4}).train));
  arma::vec tested(20, arma::fill::zeros);
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    tested.elem(split_rows(20, {0.5, 0.25, 0.25}, Seed{seed}).test) += 1;
  // Binomial(2000, ¼): five standard deviations.
  CHECK(arma::abs(tested - 500).max() < 5 * std::sqrt(2000 * 0.25 * 0.75));
}

TEST_CASE("folds test every row once and never train on what they test") {
  const std::vector<Fold> folds = cross_validation_folds(23, 5, Seed{1});
  REQUIRE(folds.size() == 5);
  arma::uvec tested;
  for (const Fold& fold : folds) {
    CHECK((fold.test.n_elem == 4 || fold.test.n_elem == 5));
    CHECK(are_all_rows(arma::join_cols(fold.train, fold.test), 23));
    tested = arma::join_cols(tested, fold.test);
  }
  CHECK(are_all_rows(tested, 23));
  CHECK(cross_validation_folds(4, 4, Seed{1}).front().test.n_elem == 1);
}

TEST_CASE("what cannot be split is refused") {
  CHECK_THROWS_AS(split_rows(10, {0.8, 0.1, 0.2}, Seed{}), std::invalid_argument);
  CHECK_THROWS_AS(split_rows(10, {1.1, -0.1, 0}, Seed{}), std::invalid_argument);
  CHECK_THROWS_AS(split_rows(2, {}, Seed{}), std::invalid_argument);
  CHECK_THROWS_AS(split_rows(0, {}, Seed{}), std::invalid_argument);
  CHECK_THROWS_AS(cross_validation_folds(5, 1, Seed{}), std::invalid_argument);
  CHECK_THROWS_AS(cross_validation_folds(5, 6, Seed{}), std::invalid_argument);
}
