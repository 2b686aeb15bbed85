#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/search/detail/gf_search_state.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

/// A fold of `rows` held-out rows whose loss was `initial` before training and `curve` after each epoch.
GfSearchSlot fold(arma::uword rows, double initial, const std::vector<double>& curve,
                  const std::vector<std::size_t>& round_ends) {
  GfSearchSlot slot;
  slot.log_density.zeros(rows);
  slot.initial_nll = initial;
  for (const double loss : curve) slot.epochs.push_back({.validation_nll = loss});
  slot.round_ends = round_ends;
  return slot;
}

}  // namespace

TEST_CASE("a fold's loss is taken where the other folds stop") {
  // The first fold likes epoch 3 best, the others together epochs 2, 1 and 1.
  const std::vector<GfSearchSlot> folds{fold(10, 5, {4, 3, 2, 9}, {4}), fold(10, 5, {3, 1, 4, 4}, {4}),
                                        fold(10, 5, {1, 2, 6, 7}, {4})};
  // Sums of the other two: (10, 4, 3, 10, 11), (10, 5, 5, 8, 16), (10, 7, 4, 6, 13).
  const std::vector<double> optimism = stopping_optimism(folds);
  REQUIRE(optimism.size() == 3);
  CHECK(optimism[0] == 3 - 2);
  CHECK(optimism[1] == 3 - 1);
  CHECK(optimism[2] == 2 - 1);
}

TEST_CASE("folds count by their rows, and the start may be best") {
  const std::vector<GfSearchSlot> folds{fold(1, 2, {1}, {1}), fold(100, 2, {3}, {1}), fold(1, 9, {1}, {1})};
  const std::vector<double> optimism = stopping_optimism(folds);
  CHECK(optimism[0] == 2 - 1);
  CHECK(optimism[1] == 3 - 2);
  CHECK(optimism[2] == 9 - 1);
}

TEST_CASE("a single fold, and folds that ended apart, are left as they are") {
  CHECK(stopping_optimism(std::vector<GfSearchSlot>{fold(10, 5, {4, 3, 2, 9}, {4})}) == std::vector<double>{0.0});
  const std::vector<GfSearchSlot> apart{fold(10, 5, {4, 3}, {2}), fold(10, 5, {4, 6, 7}, {3})};
  CHECK(stopping_optimism(apart) == std::vector<double>{0.0, 0.0});
}

TEST_CASE("a round stops where the middle one of the folds was best, counted from where the round began") {
  const std::vector<GfSearchSlot> folds{fold(10, 5, {4, 3, 2, 9}, {2, 4}), fold(10, 5, {3, 1, 4, 0}, {2, 4}),
                                        fold(10, 5, {1, 2, 6, 7}, {2, 4})};
  CHECK(stopping_epoch(folds, 0) == 2);  // 2, 2 and 1
  CHECK(stopping_epoch(folds, 1) == 1);  // 1, 2 and none
  CHECK(stopping_epoch(folds, 2) == 0);  // nobody went so far
  const std::vector<GfSearchSlot> none{fold(10, 1, {4, 3}, {2}), fold(10, 1, {3, 4}, {2}), fold(10, 5, {1, 2}, {2})};
  CHECK(stopping_epoch(none, 0) == 0);
}
