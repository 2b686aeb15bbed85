#pragma once

#include <optional>

#include <armadillo>

#include "gaussianize/info/measure.hpp"

namespace gaussianize::detail {

/// Two groups independent given a third: the test of two groups (permutation_test.hpp) of what regression on functions
/// of z leaves of their scores, and of its products with functions of z, so that dependence whose sign varies with z is
/// seen. Rows are permuted among up to eight that are near in z. Approximate: as good as the regression is where x and
/// y both vary with z. Nothing for fewer than 30 rows or where the groups' functions span the rows, and nothing where
/// curved functions of two or more columns explain more than a quarter of what linear ones leave of both groups:
/// p-values would be too small.
std::optional<double> independence_p_value(const arma::mat& x, const arma::mat& y, const arma::mat& z,
                                           const MeasureOptions& options);

}  // namespace gaussianize::detail
