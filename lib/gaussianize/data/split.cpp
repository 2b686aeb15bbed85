#include "gaussianize/data/split.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;
namespace {

// Block 0 of the purpose belongs to the fits' own hold-out: the same seed must not cut both ways alike.
constexpr std::uint64_t split_block = 1;
constexpr std::uint64_t fold_block = 2;

arma::uvec random_order(std::size_t rows, Seed seed, std::uint64_t block) {
  RandomStream stream(seed, Purpose::split, block);
  const std::vector<std::size_t> order = permutation(rows, stream);
  arma::uvec result(rows);
  std::copy(order.begin(), order.end(), result.begin());
  return result;
}

std::array<std::size_t, 3> largest_remainder(std::size_t rows, const std::array<double, 3>& fractions) {
  std::array<std::size_t, 3> sizes{};
  std::array<double, 3> remainders{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double exact = fractions[k] * static_cast<double>(rows);
    // A product such as 0.1·30 must not lose a row to its last bit.
    const double whole = std::floor(exact * (1 + 1e-12));
    sizes[k] = static_cast<std::size_t>(whole);
    remainders[k] = exact - whole;
  }
  for (std::size_t given = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}); given < rows; ++given) {
    const auto largest = std::max_element(remainders.begin(), remainders.end());
    ++sizes[static_cast<std::size_t>(largest - remainders.begin())];
    *largest -= 1;
  }
  return sizes;
}

}  // namespace

SplitRows split_rows(std::size_t rows, const SplitFractions& fractions, Seed seed) {
  const std::array<double, 3> shares{fractions.train, fractions.validation, fractions.test};
  for (const double share : shares)
    require(share >= 0 && share <= 1, "split_rows: a fraction of ", share, "; each lies between 0 and 1");
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  require(std::abs(sum - 1) < 1e-9, "split_rows: the fractions ", shares[0], ", ", shares[1], " and ", shares[2],
          " sum to ", sum, "; they must sum to 1");
  const std::array<std::size_t, 3> sizes = largest_remainder(rows, shares);
  for (std::size_t k = 0; k < 3; ++k)
    require(shares[k] == 0 || sizes[k] > 0, "split_rows: a fraction of ", shares[k], " of ", rows,
            " rows is none; give more rows or a larger fraction");
  const arma::uvec order = random_order(rows, seed, split_block);
  return {order.head(sizes[0]), order.subvec(sizes[0], arma::size(sizes[1], 1)), order.tail(sizes[2])};
}

std::vector<Fold> cross_validation_folds(std::size_t rows, std::size_t folds, Seed seed) {
  require(folds >= 2 && folds <= rows, "cross_validation_folds: ", folds, " folds of ", rows,
          " rows; there must be from 2 to as many as rows");
  const arma::uvec order = random_order(rows, seed, fold_block);
  std::vector<Fold> result;
  for (std::size_t k = 0; k < folds; ++k) {
    const std::size_t begin = k * rows / folds;
    const std::size_t end = (k + 1) * rows / folds;
    result.push_back(
        {arma::join_cols(order.head(begin), order.tail(rows - end)), order.subvec(begin, arma::size(end - begin, 1))});
  }
  return result;
}

}  // namespace gaussianize
