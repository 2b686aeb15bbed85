#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/flow/flow.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// A rotation without parameters, Identity or Orthogonal, stays as it is.
struct GfLayer {
  Rotation rotation;
  LogisticMixture marginal;
};

/// Everything that is trained. A gradient, and each of the optimizer's moments, is again a GfParameters: a gradient has
/// its parameter's type.
struct GfParameters {
  std::vector<GfLayer> layers;
};

/// The same shape, with 0 for every parameter.
GfParameters zeros_like(const GfParameters& parameters);

/// One array of numbers of a parameter set.
struct ParameterBlock {
  std::string name;  ///< "layer 3 mu"
  std::size_t layer = 0;
  double* values = nullptr;
  std::size_t count = 0;
  std::size_t rows = 0;  ///< of its matrix: entry i belongs to column i/rows
};

/// All arrays, in an order that depends on the shape alone: two sets of one shape have matching lists.
std::vector<ParameterBlock> parameter_blocks(GfParameters& parameters);

/// Sets the parameters of a rotation to 0.
void set_zero(Rotation& rotation);

/// The number of trained numbers.
std::size_t parameter_count(const GfParameters& parameters);

/// Whether the last layer ends in a logit. It is then trained to give logistic columns, which a fixed map
/// (LogisticToNormal) takes to N(0, I).
bool has_logistic_base(const GfParameters& parameters);

/// Lowers the bandwidths of logits between the first and the last layer (and of the first one too if `first`) to 1.25 c
/// times the standard deviation of their column's mixture. The widest kernel decides how flat a logit is far out: with
/// this one 0.8 of what standardises the column, which bounds what the inverse makes of a draw beyond the rows.
void limit_bandwidths(GfParameters& parameters, bool first, int threads);

/// The layers as those of a flow, the fixed map after a logit included.
std::vector<Layer> to_layers(const GfParameters& parameters);

}  // namespace gaussianize
#pragma GCC visibility pop
