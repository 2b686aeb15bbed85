#pragma once

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/gf/options.hpp"
#include "gaussianize/gf/parameters.hpp"

namespace gaussianize::detail {

/// The start of training [Meng et al. 2020, §3.5]: random rotations, and in each layer a kernel estimate with K kernels
/// of the rows that are its input. Anchors are the rows' quantiles (k − ½)/K, or K random rows as in the paper.
/// Bandwidths are h = s (4√π/(π⁴K))^{1/5} with s the column's standard deviation; at quantiles, smaller where the
/// anchors are dense. x: N×D standardised training rows, of which at most init_rows are used. Options must be resolved.
/// O(rows·D·K·L).
GfParameters initialise(const arma::mat& x, const GfOptions& options);

/// The start of training where an RBIG flow stopped. `layers` are that flow's, after its standardising one; each
/// rotation becomes the same orthogonal matrix as a product of reflections, to 1e-14·D, and each spline marginal the
/// mixture (of first_anchors or anchors kernels) that maximum likelihood finds for 512 quantiles of the map's
/// distribution. Options must be resolved. Throws std::invalid_argument for other kinds of layers.
GfParameters from_rbig(const std::vector<Layer>& layers, const GfOptions& options);

}  // namespace gaussianize::detail
