#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/math/estimate.hpp"

namespace gaussianize::detail {

/// D_KL(p ‖ N(0, 1)) of a column, in nats: the mean of log f(x_i) − log φ(x_i), f a kernel estimate that leaves row i
/// out. Low, by the price of estimating f, so it can be negative: for normal data by 0.9 N^{−4/5} at N = 100 to 1.6
/// N^{−4/5} at N = 10⁵; by more where f has an edge, which a kernel blurs (by 0.07 for the uniform distribution and
/// 0.10 for the exponential one at N = 1000). A constant column gives +∞.
Estimate negentropy(const double* x, std::size_t n);

/// J_m(x) = Σ_d D_KL(p_d ‖ N(0, 1)) over the columns of x, in nats, from at most max_rows evenly spaced rows. The
/// standard error is that of the rows' sums over columns, so dependence between columns is accounted for.
Estimate kernel_negentropy(const arma::mat& x, std::size_t max_rows, int threads = 0);

}  // namespace gaussianize::detail
