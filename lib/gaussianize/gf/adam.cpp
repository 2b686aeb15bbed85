#include "gaussianize/gf/adam.hpp"

#include <algorithm>
#include <cmath>

namespace gaussianize {

AdamState start_adam(const GfParameters& parameters, const AdamOptions& options) {
  AdamState state;
  state.mean = zeros_like(parameters);
  state.square = state.mean;
  if (options.amsgrad) state.largest = state.mean;
  return state;
}

void step(GfParameters& parameters, GfParameters& gradient, AdamState& state, double learning_rate,
          const AdamOptions& options) {
  ++state.steps;
  const auto t = static_cast<double>(state.steps);
  const double mean_correction = 1 / (1 - std::pow(options.beta1, t));
  const double square_correction = 1 / (1 - std::pow(options.beta2, t));
  const auto theta = blocks(parameters);
  const auto g = blocks(gradient);
  const auto m = blocks(state.mean);
  const auto v = blocks(state.square);
  const auto largest = blocks(state.largest);
  for (std::size_t b = 0; b < theta.size(); ++b) {
    for (std::size_t i = 0; i < theta[b].count; ++i) {
      const double slope = g[b].values[i];
      double& mean = m[b].values[i];
      double& square = v[b].values[i];
      mean = options.beta1 * mean + (1 - options.beta1) * slope;
      square = options.beta2 * square + (1 - options.beta2) * slope * slope;
      double divisor = square;
      if (options.amsgrad) divisor = largest[b].values[i] = std::max(largest[b].values[i], square);
      theta[b].values[i] -=
          learning_rate * (mean * mean_correction) / (std::sqrt(divisor * square_correction) + options.epsilon);
    }
  }
}

}  // namespace gaussianize
