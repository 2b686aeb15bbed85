#include "gaussianize/gf/parameters.hpp"

#include "gaussianize/core/error.hpp"

namespace gaussianize {
namespace {

void append(std::vector<ParameterBlock>& list, std::size_t layer, const char* what, double* values, std::size_t count,
            std::size_t rows) {
  if (count > 0) list.push_back({concat("layer ", layer, ' ', what), layer, values, count, rows});
}

void zero(TrainableRotation& rotation) {
  if (auto* householder = std::get_if<Householder>(&rotation)) householder->v.zeros();
  if (auto* patch = std::get_if<PatchRotation>(&rotation)) patch->v.zeros();
}

}  // namespace

GfParameters zeros_like(const GfParameters& parameters) {
  GfParameters zeros;
  zeros.layers.reserve(parameters.layers.size());
  for (const GfLayer& layer : parameters.layers) {
    zeros.layers.push_back({layer.rotation, zeros_like(layer.marginal)});
    zero(zeros.layers.back().rotation);
  }
  return zeros;
}

std::vector<ParameterBlock> blocks(GfParameters& parameters) {
  std::vector<ParameterBlock> list;
  for (std::size_t l = 0; l < parameters.layers.size(); ++l) {
    GfLayer& layer = parameters.layers[l];
    if (auto* householder = std::get_if<Householder>(&layer.rotation))
      append(list, l, "v", householder->v.memptr(), householder->v.n_elem, householder->v.n_rows);
    if (auto* patch = std::get_if<PatchRotation>(&layer.rotation))
      append(list, l, "v", patch->v.memptr(), patch->v.n_elem, patch->v.n_rows);
    LogisticMixture& mixture = layer.marginal;
    append(list, l, "mu", mixture.mu.memptr(), mixture.mu.n_elem, mixture.mu.n_rows);
    append(list, l, "log_scale", mixture.log_scale.memptr(), mixture.log_scale.n_elem, mixture.mu.n_rows);
    append(list, l, "logit", mixture.logit.memptr(), mixture.logit.n_elem, mixture.mu.n_rows);
  }
  return list;
}

bool has_logistic_base(const GfParameters& parameters) {
  return !parameters.layers.empty() && parameters.layers.back().marginal.link == Link::logit;
}

std::size_t parameter_count(const GfParameters& parameters) {
  GfParameters copy = parameters;
  std::size_t count = 0;
  for (const ParameterBlock& block : blocks(copy)) count += block.count;
  return count;
}

std::vector<Layer> to_layers(const GfParameters& parameters) {
  std::vector<Layer> layers;
  layers.reserve(parameters.layers.size());
  for (const GfLayer& layer : parameters.layers)
    layers.push_back(
        {std::visit([](const auto& rotation) { return Rotation(rotation); }, layer.rotation), layer.marginal});
  if (has_logistic_base(parameters))
    layers.push_back({Identity{}, LogisticToNormal{parameters.layers.back().marginal.mu.n_cols}});
  return layers;
}

}  // namespace gaussianize
