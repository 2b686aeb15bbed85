#pragma once

#include <armadillo>
#include <cmath>

#include "gaussianize/marginal/bandwidth.hpp"

namespace gaussianize {

/// x with each column rounded to a millionth of its spread (a power of two). Searches, whose branches can turn on the
/// last bit, work on this copy: data in other units, which differ from x by rounding alone, give the same copy and with
/// it the same result.
inline arma::mat coarse(arma::mat x) {
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    const double scale = robust_scale(x.colptr(d), x.n_rows);
    if (!(scale > 0)) continue;
    // Standardised columns have scale 1 up to rounding: the factor keeps the change of exponent away from there.
    const double unit = std::ldexp(1.0, std::ilogb(1.4 * scale) - 20);
    for (double& value : x.col(d)) value = std::nearbyint(value / unit) * unit;
  }
  return x;
}

}  // namespace gaussianize
