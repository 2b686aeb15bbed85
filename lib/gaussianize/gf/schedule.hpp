#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#pragma GCC visibility push(default)
namespace gaussianize {

enum class Schedule {
  constant,
  plateau,  ///< halved whenever the validation loss has not fallen for `plateau_patience` epochs
  cosine,   ///< falls to zero along half a cosine over the whole run
};

struct ScheduleOptions {
  Schedule kind = Schedule::cosine;
  double learning_rate = 0.01;       ///< the largest
  std::size_t warm_up_steps = 0;     ///< rises linearly over so many first steps
  std::size_t plateau_patience = 5;  ///< epochs
};

/// What a schedule remembers.
struct ScheduleState {
  double factor = 1.0;  ///< of plateau
  double best_loss = std::numeric_limits<double>::infinity();
  std::size_t epochs_since_best = 0;
};

/// The learning rate of step `step` (from 0) of `total_steps`.
double learning_rate(const ScheduleOptions& options, const ScheduleState& state, std::uint64_t step,
                     std::uint64_t total_steps);

/// To be called once an epoch with the validation loss.
void end_epoch(const ScheduleOptions& options, ScheduleState& state, double loss);

}  // namespace gaussianize
#pragma GCC visibility pop
