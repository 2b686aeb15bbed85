#pragma once

#include <armadillo>
#include <cstddef>

#include "gaussianize/math/estimate.hpp"

namespace gaussianize {

/// D_KL(p ‖ N(0, 1)) of a column, in nats: the mean of log f(x_i) − log φ(x_i), f a kernel estimate that leaves row i out.
/// Slightly low (by about 0.4 N^{−4/5} for normal data, the price of estimating f), so it can be negative. A constant
/// column gives +∞.
Estimate negentropy(const double* x, std::size_t n);

/// J_m(x) = Σ_d D_KL(p_d ‖ N(0, 1)) over the columns of x, in nats, from at most max_rows evenly spaced rows. The standard
/// error is that of the rows' sums over columns, so dependence between columns is accounted for.
Estimate marginal_negentropy(const arma::mat& x, std::size_t max_rows, int threads = 0);

}  // namespace gaussianize
