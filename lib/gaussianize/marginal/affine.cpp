#include "gaussianize/marginal/affine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/detail/check_sizes.hpp"

namespace gaussianize {
using namespace detail;

namespace {

/// Mean and deviation of one column.
struct Moments {
  double mean = 0.0;
  double deviation = 0.0;
};

Moments moments(const double* column, std::size_t n) {
  const auto rows = static_cast<double>(n);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(column[i]));
  // A power of two changes no digits and keeps squares and sums in range.
  const double unit = largest > 0 ? std::ldexp(1.0, std::min(1000, std::ilogb(largest))) : 1.0;
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += column[i] / unit;
  mean /= rows;
  double squares = 0;
  double rest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double deviation = column[i] / unit - mean;
    squares += deviation * deviation;
    rest += deviation;
  }
  const double variance = (squares - rest * rest / rows) / rows;
  // A positive deviation may underflow, and is positive still.
  const double deviation = std::max(std::sqrt(variance) * unit, std::numeric_limits<double>::denorm_min());
  return {(mean + rest / rows) * unit, variance > 0 ? deviation : 0.0};
}

[[noreturn]] void refuse(const double* column, std::size_t n, std::size_t d) {
  const double* bad = std::find_if(column, column + n, [](double value) { return !std::isfinite(value); });
  if (bad != column + n)
    throw DataError(concat("column ", d, ": row ", bad - column, " is ", *bad, "; drop it or fill it in"));
  throw DataError(concat("column ", d, " is constant (", column[0], "): it has no density; drop it"));
}

/// A power of two to compute in, so that neither x − shift nor z·scale overflows where the result does not.
double working_unit(double scale) {
  return scale > 0x1p960 ? 0x1p-60 : 1.0;
}

}  // namespace

AffineMarginal fit_affine(const arma::mat& x) {
  require(x.n_rows >= 2, "fit_affine: ", x.n_rows, " rows; at least 2 are needed");
  AffineMarginal marginal{arma::rowvec(x.n_cols), arma::rowvec(x.n_cols)};
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    const double* column = x.colptr(d);
    const Moments m = moments(column, x.n_rows);
    const bool constant = std::all_of(column, column + x.n_rows, [&](double value) { return value == column[0]; });
    if (constant || !std::isfinite(m.mean) || !(m.deviation > 0)) refuse(column, x.n_rows, d);
    marginal.shift[d] = m.mean;
    marginal.scale[d] = m.deviation;
  }
  return marginal;
}

void check(const AffineMarginal& marginal) {
  check_sizes(marginal);
  for (arma::uword d = 0; d < marginal.shift.n_elem; ++d) {
    require(std::isfinite(marginal.shift[d]), "affine: shift[", d, "] is ", marginal.shift[d], "; it must be finite");
    require(std::isfinite(marginal.scale[d]) && marginal.scale[d] > 0, "affine: scale[", d, "] is ", marginal.scale[d],
            "; a scale must be positive and finite");
  }
}

void forward(const AffineMarginal& marginal, arma::mat& x, arma::vec& log_det) {
  double total = 0;
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    const double unit = working_unit(marginal.scale[d]);
    const double shift = marginal.shift[d] * unit;
    const double scale = marginal.scale[d] * unit;
    double* column = x.colptr(d);
    for (arma::uword i = 0; i < x.n_rows; ++i) column[i] = (column[i] * unit - shift) / scale;
    total -= std::log(marginal.scale[d]);
  }
  log_det += total;
}

void inverse(const AffineMarginal& marginal, arma::mat& z) {
  for (arma::uword d = 0; d < z.n_cols; ++d) {
    const double unit = working_unit(marginal.scale[d]);
    const double shift = marginal.shift[d] * unit;
    const double scale = marginal.scale[d] * unit;
    double* column = z.colptr(d);
    for (arma::uword i = 0; i < z.n_rows; ++i) column[i] = (column[i] * scale + shift) / unit;
  }
}

}  // namespace gaussianize
