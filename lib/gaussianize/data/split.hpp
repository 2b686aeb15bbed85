#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// What share of the rows goes where. The shares must not be negative and must sum to 1.
struct SplitFractions {
  double train = 0.8;
  double validation = 0.1;
  double test = 0.1;
};

/// Disjoint row numbers that together are all rows, each part in a random order.
struct SplitRows {
  arma::uvec train, validation, test;
};

/// Cuts 0 … rows − 1 at random, by the seed. Sizes are the fractions of `rows` rounded by the method of largest
/// remainders (ties to train, then validation), so they differ from them by less than one row. Throws
/// std::invalid_argument for fractions that do not sum to 1, and if a part with a positive fraction would be empty.
SplitRows split_rows(std::size_t rows, const SplitFractions& fractions, Seed seed);

/// One round of cross-validation.
struct Fold {
  arma::uvec train, test;
};

/// `folds` rounds over 0 … rows − 1 in which every row is tested once, by the seed. Test parts differ in size by at
/// most one row. Throws std::invalid_argument unless 2 ≤ folds ≤ rows.
std::vector<Fold> cross_validation_folds(std::size_t rows, std::size_t folds, Seed seed);

}  // namespace gaussianize
#pragma GCC visibility pop
