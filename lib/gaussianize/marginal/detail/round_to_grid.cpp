#include "gaussianize/marginal/detail/round_to_grid.hpp"

#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/marginal/bandwidth.hpp"

namespace gaussianize::detail {

arma::mat round_to_grid(const arma::mat& x, int threads) {
  arma::mat rounded(x.n_rows, x.n_cols);
  parallel_for(x.n_cols, threads, [&](std::size_t d) {
    const double* from = x.colptr(d);
    double* to = rounded.colptr(d);
    const double scale = robust_scale(from, x.n_rows);
    // Standardised columns have scale 1 up to rounding: the factor keeps the change of exponent away from there.
    const double unit = scale > 0 ? std::ldexp(1.0, std::ilogb(1.4 * scale) - 20) : 1.0;
    const double per_unit = 1 / unit;
    // Adding and taking away 1.5·2⁵² rounds to whole numbers.
    constexpr double magic = 0x1.8p52;
    for (arma::uword i = 0; i < x.n_rows; ++i) {
      const double whole = (from[i] * per_unit + magic) - magic;
      to[i] = std::abs(from[i] * per_unit) < 0x1p51 ? whole * unit : from[i];
    }
  });
  return rounded;
}

}  // namespace gaussianize::detail
