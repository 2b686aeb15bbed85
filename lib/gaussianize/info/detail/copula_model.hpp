#pragma once

#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/info/detail/elliptical.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/detail/scores.hpp"

namespace gaussianize::detail {

/// An estimated copula: log c of every row, whose mean is the total correlation with the bias of fitting subtracted.
struct CopulaFit {
  arma::vec log_copula;
  std::string description;
  bool elliptical = false;  ///< the base is `ellipse`; otherwise independent sources
  EllipticalCopula ellipse;
  bool flow = false;                 ///< RBIG found something in what the base left
  bool neighbours = false;           ///< nearest neighbours found more, and stand in for all of it
  double noise = 1.0;                ///< what the standard error of the rows' terms must be multiplied by
  double variance = 0.0;             ///< what the rows' terms do not show of the estimate's variance (fitting_variance)
  std::vector<std::string> caveats;  ///< why the dependence may be underestimated
};

/// The copula by the method that the options name. `automatic`: the Gaussian copula, unless Student's t has the
/// larger likelihood by Akaike's criterion, unless independent sources (IcaCopula) found on one half of the rows
/// explain the other half significantly better; then RBIG on what that base leaves, if held-out rows gain from it.
/// Nearest neighbours replace all of that where they find more than it with RBIG (up to 10 columns), or, by three
/// standard errors of the rows' differences times `noise`, more than the base alone (2 columns, or 3 with up to 2000
/// rows).
CopulaFit fit_copula(const Scores& scores, const MeasureOptions& options);

/// The copula of some columns of data whose copula `whole` has been fitted: an elliptical base is restricted to
/// them, so that what they have in common with the whole cancels; anything else is fitted anew.
CopulaFit marginal_copula(const CopulaFit& whole, const Scores& scores, const arma::uvec& columns,
                          const MeasureOptions& options);

/// The measure of terms that a fitted copula made, with its caveats; `less` is the variance that it
/// shares with parts that were subtracted.
Measure measure_of(const arma::vec& terms, const CopulaFit& fit, std::string method, double less = 0.0);

}  // namespace gaussianize::detail
