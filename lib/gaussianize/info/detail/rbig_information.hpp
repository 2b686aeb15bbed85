#pragma once

#include <armadillo>

#include "gaussianize/info/detail/scores.hpp"

/// What the measures share; not part of the library's interface.
namespace gaussianize::detail {

/// The rows' terms of the total correlation as RBIG has it [Laparra, Camps-Valls & Malo 2011]: what every layer's
/// rotation turns into J_m, which its marginal maps then remove, less the J_m that the same search finds in N(0, I)
/// rows of the same number. Layers follow until they find no more than that. The terms' spread, and with it the
/// standard error, is that of the fitted flow's log density.
arma::vec rbig_information(const Scores& scores, const MeasureOptions& options);

}  // namespace gaussianize::detail
