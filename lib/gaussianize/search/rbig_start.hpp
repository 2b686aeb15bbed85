#pragma once

#include <armadillo>

#include "gaussianize/gf/gf.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// The start of a GF that continues from RBIG: RBIG fitted to the same rows, with at most the (resolved) options'
/// number of layers and the options' seed, as trainable layers. Give it to fit_gf, or to resume_gf, as `start`:
///
///   GfOptions options{.marginal_layer = false};
///   const GfParameters start = rbig_start(x, validation, options);
///   const GfFit fit = fit_gf(x, validation, options, &start);
///
/// RBIG stops at the lowest validation loss (if there are validation rows), so the start may have fewer layers than the
/// options.
/// The same for any number of threads. Throws what fit_rbig throws, and std::invalid_argument for options that RBIG
/// cannot start: patch rotations, several marginals per rotation, or the kernel map as the first layer, which RBIG
/// replaces.
GfParameters rbig_start(const arma::mat& x, const arma::mat& validation, const GfOptions& options);

}  // namespace gaussianize
#pragma GCC visibility pop
