#include "gaussianize/gf/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gaussianize {

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

}  // namespace gaussianize
