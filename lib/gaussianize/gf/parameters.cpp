#include "gaussianize/gf/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/detail/mixture_evaluator.hpp"

namespace gaussianize {
using namespace detail;
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

std::vector<ParameterBlock> parameter_blocks(GfParameters& parameters) {
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

void limit_bandwidths(GfParameters& parameters, bool first, int threads) {
  constexpr double widest = 1.25;
  parallel_for(parameters.layers.size(), threads, [&](std::size_t l) {
    LogisticMixture& mixture = parameters.layers[l].marginal;
    if (mixture.link != Link::logit || (l == 0 && !first) || l + 1 == parameters.layers.size()) return;
    const MixtureEvaluator prepared = prepare(mixture);
    for (std::size_t d = 0; d < prepared.dimension(); ++d) {
      const arma::vec sd = 1 / (logit_scale * prepared.inverse_scale.col(d));
      const double mean = arma::dot(prepared.weight.col(d), prepared.mu.col(d));
      const double variance =
          arma::dot(prepared.weight.col(d), arma::square(prepared.mu.col(d) - mean) + arma::square(sd));
      const double limit = std::log(widest * logit_scale * std::sqrt(variance));
      for (double& log_scale : mixture.log_scale.col(d)) log_scale = std::min(log_scale, limit);
    }
  });
}

std::size_t parameter_count(const GfParameters& parameters) {
  GfParameters copy = parameters;
  std::size_t count = 0;
  for (const ParameterBlock& block : parameter_blocks(copy)) count += block.count;
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
