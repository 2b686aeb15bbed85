#pragma once

#include <armadillo>

#include "gaussianize/info/detail/copula_model.hpp"

/// The estimate of a copula that compares candidates.
namespace gaussianize::detail {

/// The base first: the Gaussian copula, unless Student's t has the larger likelihood by Akaike's criterion, unless
/// independent sources (IcaCopula) found on one half of the rows explain the other half significantly better. These
/// have few parameters, and the bias of fitting them is known. Then what fit_beyond finds. Nearest neighbours replace
/// all of that where they find more than a flexible model (up to 10 columns), or, by three standard errors of the rows'
/// differences times `noise`, more than the base alone (2 columns, or 3 with up to 2000 rows).
CopulaFit fit_automatic(const Scores& scores, const MeasureOptions& options);

/// The base, or the best of the candidates that are cross-fitted (CrossFit) where what the base leaves does not
/// pass for N(0, I) and one of them gains two standard errors on it: boxes, trees of pairs, RBIG and GF on what the
/// better of base and trees leaves, or a mixture of them all. The value is the mean over rows that the models have not
/// seen, and on top of it the larger of what models of half as many rows miss more, and of what nearest neighbours find
/// in the rows as the best one leaves them. That is also its model error: the value is a lower bound without it.
/// `residual` is what the base leaves of the rows; without it, the base must be elliptical.
CopulaFit fit_beyond(CopulaFit base, const arma::mat& residual, const Scores& scores, const MeasureOptions& options);
CopulaFit fit_beyond(CopulaFit base, const Scores& scores, const MeasureOptions& options);

/// Adds a caveat where trees of pairs or boxes find clearly more in rows that they have not seen: their means are lower
/// bounds, so that an estimate below them misses something.
void compare_with_bounds(CopulaFit& fit, const Scores& scores, const MeasureOptions& options);

/// Whether an elliptical copula leaves nothing that tests find.
bool elliptical_fits(const Scores& scores, const MeasureOptions& options);

}  // namespace gaussianize::detail
