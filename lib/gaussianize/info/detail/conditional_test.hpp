#pragma once

#include <optional>

#include <armadillo>

#include "gaussianize/info/measure.hpp"

namespace gaussianize::detail {

/// Two groups independent given a third: the same for what regression on functions of z leaves, and for its products
/// with functions of z, so that dependence whose sign varies with z is seen. Rows are permuted among up to eight that
/// are near in z. Approximate: as good as the regression is where x and y both vary with z. Nothing for fewer than 30
/// rows, and where regression on two or more columns explains more than a quarter of what is left of both groups by
/// linear functions: p-values would be too small.
std::optional<double> independence_p_value(const arma::mat& x, const arma::mat& y, const arma::mat& z,
                                           const MeasureOptions& options);

}  // namespace gaussianize::detail
