#include "gaussianize/marginal/tabulated.hpp"

#include "gaussianize/math/simd.hpp"

namespace gaussianize {

void apply(const TabulatedMarginal& marginal, arma::mat& x, arma::vec& log_det) {
  std::vector<double> slope(x.n_rows);
  for (std::size_t d = 0; d < marginal.columns.size(); ++d) {
    double* column = x.colptr(d);
    evaluate(marginal.columns[d], column, column, slope.data(), x.n_rows);
    simd().log(slope.data(), slope.data(), x.n_rows);
    for (arma::uword i = 0; i < x.n_rows; ++i) log_det[i] += slope[i];
  }
}

void apply_inverse(const TabulatedMarginal& marginal, arma::mat& z) {
  for (std::size_t d = 0; d < marginal.columns.size(); ++d) {
    double* column = z.colptr(d);
    invert(marginal.columns[d], column, column, z.n_rows);
  }
}

}  // namespace gaussianize
