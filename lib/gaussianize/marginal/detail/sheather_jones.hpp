#pragma once

#include <cstddef>
#include <optional>

namespace gaussianize::detail {

/// The improved Sheather–Jones bandwidth for the normal kernel [Botev, Grotowski & Kroese 2010]: the fixed point of
/// t = ξγ^{[7]}(t) on the cosine coefficients of a histogram of 4096 bins. Rows farther than 20 scales from the median
/// do not enter. Nothing where there is no fixed point, or none but the histogram's own, as for columns with atoms: a
/// few distinct values, or one that many rows share.
std::optional<double> sheather_jones_bandwidth(const double* x, std::size_t n, double scale);

}  // namespace gaussianize::detail
