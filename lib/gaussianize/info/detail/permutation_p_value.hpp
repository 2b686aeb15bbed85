#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/info/measure.hpp"

/// From permutations to p-values.
namespace gaussianize::detail {

/// Orders of rows.
using Orders = std::vector<std::vector<std::size_t>>;

/// `count` random orders of `rows` rows.
Orders random_orders(std::size_t count, std::size_t rows, RandomStream& stream);

/// The rows of f in the given orders, each of as many columns of f: first those of the first order, and so on.
arma::mat reordered(const arma::mat& f, const Orders& orders);

/// (1 + #{permuted ≥ observed})/(1 + permutations). `statistics(stream)` permutes with the given stream and returns
/// non-negative statistics, as many for each permutation; those of the data as they are, `observed`.
///
/// Each statistic's cube root, which makes sums and maxima of squares nearly normal, is standardised over data and
/// permutations together; less its handicap, the largest decides. That is as exact as one statistic alone, since data
/// and permutations are treated alike. A handicap leaves more of the level to the other statistics.
double permutation_p_value(const arma::vec& observed, const arma::vec& handicaps, const MeasureOptions& options,
                           const std::function<arma::vec(RandomStream&)>& statistics);

}  // namespace gaussianize::detail
