#pragma once

#include <optional>

#include <armadillo>

#include "gaussianize/info/detail/scores.hpp"

/// Permutation tests of independence of columns of normal scores z. Each combines several statistics
/// (permutation_p_value): some for dependence of location and of scale (z and z²) between pairs of columns, which is
/// what is there most often, and some of cosines of the ranks (independence_features.hpp), pairs and products of
/// several columns, which see dependence of any form. p is a multiple of 1/(1 + permutations), exactly valid, and
/// uniform on that grid, where rows are exchangeable under the hypothesis. At most 10,000 rows and 200,000 values,
/// evenly spaced, are used. Each returns nothing if no permutations are asked for.
namespace gaussianize::detail {

/// All columns independent. Of many columns some products are left out: those of three columns are all looked at for up
/// to about 30 columns of 500 rows, and 12 columns of 10,000.
std::optional<double> independence_p_value(const arma::mat& z, const MeasureOptions& options);

/// Two groups independent; rows of y are permuted. Nothing if the rows are so few that a group's functions span them.
std::optional<double> independence_p_value(const arma::mat& x, const arma::mat& y, const MeasureOptions& options);

/// Every two columns independent, one p-value each, D×D with NaN on the diagonal. Four cosines of each column are
/// looked at.
arma::mat pairwise_p_values(const arma::mat& z, const MeasureOptions& options);

/// Two samples of one distribution: the distance between their mean features, whitened, of pooled normal scores;
/// features are the scores, their squares and, for up to 20 columns, their products. Rows change samples.
std::optional<double> same_distribution_p_value(const arma::mat& p, const arma::mat& q, const MeasureOptions& options);

}  // namespace gaussianize::detail
