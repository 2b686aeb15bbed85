#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/info/detail/scores.hpp"

/// What the measures share; not part of the library's interface.
namespace gaussianize::detail {

/// Whether independent sources (IcaCopula) that were found on one half of the rows (of 20,000 at most) explain the
/// other half better than `base`, the rows' log copula, by `standard_errors` of the rows' differences. First with
/// columns on the scale of their normal scores; if `rounds` > 1, then also on the scale that so many rounds find.
bool sources_explain_more(const Scores& scores, const arma::vec& base, std::size_t rounds, double standard_errors,
                          const MeasureOptions& options);

/// Whether the mean of `better` − `base` exceeds so many of its standard errors.
bool exceeds(const arma::vec& better, const arma::vec& base, double standard_errors);

}  // namespace gaussianize::detail
