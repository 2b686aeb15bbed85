#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/info/detail/elliptical.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/detail/scores.hpp"

namespace gaussianize::detail {

/// An estimated copula: log c of every row, whose mean is the total correlation with the bias of fitting taken off.
struct CopulaFit {
  arma::vec log_copula;
  std::string description;
  bool elliptical = false;  ///< the base is `ellipse`; otherwise independent sources
  EllipticalCopula ellipse;
  bool flexible = false;     ///< more than the base: a cross-fitted candidate
  bool neighbours = false;   ///< nearest neighbours found more, and stand in for all of it
  double noise = 1.0;        ///< what the standard error of the rows' terms must be multiplied by
  double variance = 0.0;     ///< what the rows' terms do not show of the estimate's variance (fitting_variance)
  double model_error = 0.0;  ///< Measure::model_error
  std::vector<MeasureCandidate> candidates;
  std::vector<std::string> caveats;  ///< why the dependence may be underestimated
};

/// The copula by the method that the options name; `automatic` as fit_automatic does.
CopulaFit fit_copula(const Scores& scores, const MeasureOptions& options);

/// The copula of some columns of data whose copula `whole` has been fitted: an elliptical base is restricted to
/// them, so that what they have in common with the whole cancels; anything else is fitted anew.
CopulaFit marginal_copula(const CopulaFit& whole, const Scores& scores, const arma::uvec& columns,
                          const MeasureOptions& options);

/// The measure of terms that a fitted copula made, with its caveats; `less` is the variance that it
/// shares with parts that were subtracted.
Measure measure_of(const arma::vec& terms, const CopulaFit& fit, std::string method, double less = 0.0);

/// A Gaussian or a Student-t copula, with what fitting adds to the likelihood taken off.
CopulaFit elliptical_fit(EllipticalCopula ellipse, const Scores& scores, int threads);

/// Beyond, nearest neighbours are far, and take long to find.
inline constexpr std::size_t max_neighbour_columns = 10;

/// How much larger the standard error of neighbours' terms is than they show: rows share neighbours, the more so the
/// more columns there are. Measured in docs/accuracy.md.
inline double neighbour_noise(std::size_t columns) {
  return 1 + 0.1 * static_cast<double>(std::min(columns, max_neighbour_columns));
}

/// Nearest neighbours of the normal scores: the total correlation, and the information between two groups.
CopulaFit neighbour_fit(const Scores& scores, const MeasureOptions& options);
CopulaFit neighbour_fit(const Scores& x, const Scores& y, const MeasureOptions& options);

}  // namespace gaussianize::detail
