#pragma once

#include <string>

#include <armadillo>

#include "gaussianize/gf/options.hpp"

namespace gaussianize::detail {

/// All that decides the course of a fit, as a line: the data's bits and every (resolved) option that matters. Two fits
/// with the same line take the same course.
std::string fingerprint(const arma::mat& x, const arma::mat& validation, const GfOptions& options);

}  // namespace gaussianize::detail
