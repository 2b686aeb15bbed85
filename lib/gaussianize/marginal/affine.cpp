#include "gaussianize/marginal/affine.hpp"

#include <cmath>

#include "gaussianize/core/error.hpp"

namespace gaussianize {

AffineMarginal fit_affine(const arma::mat& x) {
  require(x.n_rows >= 2, "fit_affine: ", x.n_rows, " rows; at least 2 are needed");
  AffineMarginal marginal{arma::rowvec(x.n_cols), arma::rowvec(x.n_cols)};
  const auto rows = static_cast<double>(x.n_rows);
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    const double* column = x.colptr(d);
    double largest = 0;
    for (arma::uword i = 0; i < x.n_rows; ++i) largest = std::max(largest, std::abs(column[i]));
    // A power of two changes no digits and keeps squares and sums in range.
    const double unit = largest > 0 ? std::ldexp(1.0, std::min(1000, std::ilogb(largest))) : 1.0;
    double mean = 0;
    for (arma::uword i = 0; i < x.n_rows; ++i) mean += column[i] / unit;
    mean /= rows;
    double squares = 0;
    double rest = 0;
    for (arma::uword i = 0; i < x.n_rows; ++i) {
      const double deviation = column[i] / unit - mean;
      squares += deviation * deviation;
      rest += deviation;
    }
    const bool constant = std::all_of(column, column + x.n_rows, [&](double value) { return value == column[0]; });
    const double variance = (squares - rest * rest / rows) / rows;
    if (constant || !(variance > 0))
      throw DataError(concat("column ", d, " is constant (", column[0], "): it has no density; drop it"));
    marginal.shift[d] = (mean + rest / rows) * unit;
    marginal.scale[d] = std::sqrt(variance) * unit;
  }
  return marginal;
}

void apply(const AffineMarginal& marginal, arma::mat& x, arma::vec& log_det) {
  double total = 0;
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    const double shift = marginal.shift[d];
    const double scale = marginal.scale[d];
    double* column = x.colptr(d);
    for (arma::uword i = 0; i < x.n_rows; ++i) column[i] = (column[i] - shift) / scale;
    total -= std::log(scale);
  }
  log_det += total;
}

void apply_inverse(const AffineMarginal& marginal, arma::mat& z) {
  for (arma::uword d = 0; d < z.n_cols; ++d) {
    const double shift = marginal.shift[d];
    const double scale = marginal.scale[d];
    double* column = z.colptr(d);
    for (arma::uword i = 0; i < z.n_rows; ++i) column[i] = column[i] * scale + shift;
  }
}

}  // namespace gaussianize
