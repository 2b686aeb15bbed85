#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/info/detail/cross_fit.hpp"

namespace gaussianize::detail {

/// The dependence between the first `in_x` columns and the others, from canonical correlations ρ_j of features of
/// either group: z_i·cos(πk t) and cos(πk t), t the row's squared length in its group, 1 where only one normal row in a
/// thousand is longer. So a column may count more, less or with another sign where the group lies farther out. Of the
/// pairs (a_j, b_j) of features so correlated, each pair normal,
///
///   log r = Σ_j [ρ_j a_j b_j − ½ρ_j²(a_j² + b_j²)]/(1 − ρ_j²) − ½ log(1 − ρ_j²),                       (C3)
///
/// over those ρ_j that are larger than chance makes them, and r normalised over y for every x: the mean of log r is
/// then never more than the information but for noise, although the features of a group depend on each other. No map.
RatioFit canonical_fit(std::size_t in_x);

}  // namespace gaussianize::detail
