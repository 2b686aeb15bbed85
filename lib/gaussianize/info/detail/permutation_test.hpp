#pragma once

#include <optional>

#include <armadillo>

#include "gaussianize/info/detail/scores.hpp"

/// Permutation tests of independence on the columns' normal scores z and (z² − 1)/√2, which see dependence of location
/// and of scale between pairs of columns. p = (1 + #{permuted ≥ observed})/(1 + permutations): exactly valid, and
/// uniform on its grid, where rows are exchangeable under the hypothesis. At most 10,000 rows, evenly spaced, are used.
/// Each returns nothing if no permutations are asked for.
namespace gaussianize::detail {

/// All columns independent: the sum of squared correlations between features of different columns.
std::optional<double> independence_p_value(const arma::mat& z, const MeasureOptions& options);

/// Two groups independent: Pillai's trace of their whitened features; rows of y are permuted.
std::optional<double> independence_p_value(const arma::mat& x, const arma::mat& y, const MeasureOptions& options);

/// Two groups independent given a third: the same for what regression on the features of z leaves.
std::optional<double> independence_p_value(const arma::mat& x, const arma::mat& y, const arma::mat& z,
                                           const MeasureOptions& options);

/// Every two columns independent, one p-value each, D×D with NaN on the diagonal.
arma::mat pairwise_p_values(const arma::mat& z, const MeasureOptions& options);

/// Two samples of one distribution: the distance between their mean features, whitened, of pooled normal scores;
/// features are the scores, their squares and, for up to 20 columns, their products. Rows change samples.
std::optional<double> same_distribution_p_value(const arma::mat& p, const arma::mat& q, const MeasureOptions& options);

}  // namespace gaussianize::detail
