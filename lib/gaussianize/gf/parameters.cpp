#include "gaussianize/gf/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/detail/mixture_evaluator.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// The trained numbers of a rotation, columns of `rows`.
struct Vectors {
  double* values = nullptr;
  std::size_t count = 0, rows = 0;
};

struct VectorsOf {
  Vectors operator()(Identity&) const { return {}; }
  Vectors operator()(Orthogonal&) const { return {}; }
  template <class Trainable>
  Vectors operator()(Trainable& rotation) const {
    return {rotation.v.memptr(), rotation.v.n_elem, rotation.v.n_rows};
  }
};

void append(std::vector<ParameterBlock>& list, std::size_t layer, const char* what, Vectors v) {
  if (v.count > 0) list.push_back({concat("layer ", layer, ' ', what), layer, v.values, v.count, v.rows});
}

Vectors vectors_of(arma::mat& m) {
  return {m.memptr(), m.n_elem, m.n_rows};
}

}  // namespace

void set_zero(Rotation& rotation) {
  const Vectors v = std::visit(VectorsOf{}, rotation);
  std::fill_n(v.values, v.count, 0.0);
}

GfParameters zeros_like(const GfParameters& parameters) {
  GfParameters zeros;
  zeros.layers.reserve(parameters.layers.size());
  for (const GfLayer& layer : parameters.layers) {
    zeros.layers.push_back({layer.rotation, zeros_like(layer.marginal)});
    set_zero(zeros.layers.back().rotation);
  }
  return zeros;
}

std::vector<ParameterBlock> parameter_blocks(GfParameters& parameters) {
  std::vector<ParameterBlock> list;
  for (std::size_t l = 0; l < parameters.layers.size(); ++l) {
    GfLayer& layer = parameters.layers[l];
    append(list, l, "v", std::visit(VectorsOf{}, layer.rotation));
    append(list, l, "mu", vectors_of(layer.marginal.mu));
    append(list, l, "log_scale", vectors_of(layer.marginal.log_scale));
    append(list, l, "logit", vectors_of(layer.marginal.logit));
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
    const MixtureEvaluator evaluator = make_evaluator(mixture);
    for (std::size_t d = 0; d < evaluator.dimension(); ++d) {
      const arma::vec sd = 1 / (logit_scale * evaluator.inverse_scale.col(d));
      const double mean = arma::dot(evaluator.weight.col(d), evaluator.mu.col(d));
      const double variance =
          arma::dot(evaluator.weight.col(d), arma::square(evaluator.mu.col(d) - mean) + arma::square(sd));
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
  for (const GfLayer& layer : parameters.layers) layers.push_back({layer.rotation, layer.marginal});
  if (has_logistic_base(parameters))
    layers.push_back({Identity{}, LogisticToNormal{parameters.layers.back().marginal.mu.n_cols}});
  return layers;
}

}  // namespace gaussianize
