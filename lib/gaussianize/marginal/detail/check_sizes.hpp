#pragma once

#include "gaussianize/marginal/affine.hpp"
#include "gaussianize/marginal/logistic_mixture.hpp"
#include "gaussianize/marginal/logistic_to_normal.hpp"
#include "gaussianize/marginal/spline_marginal.hpp"

/// The part of check() that a map's evaluation relies on, so that it reads nothing out of bounds. O(D), however large a
/// spline is: what its cells refer to is checked where forward reads it.
namespace gaussianize::detail {

void check_sizes(const AffineMarginal& marginal);
void check_sizes(const MonotoneSpline& spline);
void check_sizes(const SplineMarginal& marginal);
void check_sizes(const LogisticMixture& mixture);
void check_sizes(const LogisticToNormal& map);

}  // namespace gaussianize::detail
