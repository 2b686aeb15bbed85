#include "gaussianize/gf/detail/optimizer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gaussianize::detail {

AdamState start_adam(const GfParameters& parameters, const AdamOptions& options) {
  AdamState state;
  state.mean = zeros_like(parameters);
  state.square = state.mean;
  if (options.amsgrad) state.largest = state.mean;
  return state;
}

void adam_step(GfParameters& parameters, GfParameters& gradient, AdamState& state, double learning_rate,
               const AdamOptions& options) {
  ++state.steps;
  const auto t = static_cast<double>(state.steps);
  const double mean_correction = 1 / (1 - std::pow(options.beta1, t));
  const double square_correction = 1 / (1 - std::pow(options.beta2, t));
  const auto theta = parameter_blocks(parameters);
  const auto g = parameter_blocks(gradient);
  const auto m = parameter_blocks(state.mean);
  const auto v = parameter_blocks(state.square);
  const auto largest = parameter_blocks(state.largest);
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

double learning_rate(const ScheduleOptions& options, const ScheduleState& state, std::uint64_t step,
                     std::uint64_t total_steps) {
  double rate = options.learning_rate;
  if (options.kind == Schedule::plateau) rate *= state.factor;
  if (options.kind == Schedule::cosine) {
    const double done = static_cast<double>(step) / static_cast<double>(std::max<std::uint64_t>(1, total_steps));
    rate *= 0.5 * (1 + std::cos(std::numbers::pi * std::min(1.0, done)));
  }
  if (step < options.warm_up_steps) rate *= static_cast<double>(step + 1) / static_cast<double>(options.warm_up_steps);
  return rate;
}

void end_epoch(const ScheduleOptions& options, ScheduleState& state, double loss) {
  if (loss < state.best_loss) {
    state.best_loss = loss;
    state.epochs_since_best = 0;
    return;
  }
  if (++state.epochs_since_best < options.plateau_patience || options.kind != Schedule::plateau) return;
  state.factor /= 2;
  state.epochs_since_best = 0;
}

}  // namespace gaussianize::detail
