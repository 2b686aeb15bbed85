#include "gaussianize/marginal/spline_marginal.hpp"

#include "gaussianize/core/detail/in_context.hpp"
#include "gaussianize/marginal/detail/check_sizes.hpp"
#include "gaussianize/math/detail/simd.hpp"

namespace gaussianize {
using namespace detail;

void check(const SplineMarginal& marginal) {
  check_sizes(marginal);
  for (std::size_t d = 0; d < marginal.columns.size(); ++d)
    in_context([&] { check(marginal.columns[d]); }, "column ", d);
}

void forward(const SplineMarginal& marginal, arma::mat& x, arma::vec& log_det) {
  std::vector<double> slope(x.n_rows);
  for (std::size_t d = 0; d < marginal.columns.size(); ++d) {
    double* column = x.colptr(d);
    forward(marginal.columns[d], column, column, slope.data(), x.n_rows);
    simd().log(slope.data(), slope.data(), x.n_rows);
    for (arma::uword i = 0; i < x.n_rows; ++i) log_det[i] += slope[i];
  }
}

void inverse(const SplineMarginal& marginal, arma::mat& z) {
  for (std::size_t d = 0; d < marginal.columns.size(); ++d) {
    double* column = z.colptr(d);
    inverse(marginal.columns[d], column, column, z.n_rows);
  }
}

}  // namespace gaussianize
