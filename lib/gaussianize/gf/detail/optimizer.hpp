#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "gaussianize/gf/options.hpp"
#include "gaussianize/gf/parameters.hpp"

namespace gaussianize::detail {

/// The state of Adam between steps.
struct AdamState {
  GfParameters mean, square;
  GfParameters largest;  ///< AMSGrad only; else empty
  std::uint64_t steps = 0;
};

AdamState start_adam(const GfParameters& parameters, const AdamOptions& options);

/// One step of Adam [Kingma & Ba 2015] down the gradient, with bias-corrected moments:
///
///   m ← β₁m + (1 − β₁)g,  v ← β₂v + (1 − β₂)g²,  θ ← θ − η (m/(1 − β₁ᵗ)) / (√(v/(1 − β₂ᵗ)) + ε).      (A1)
void adam_step(GfParameters& parameters, GfParameters& gradient, AdamState& state, double learning_rate,
               const AdamOptions& options);

/// The state of a learning-rate schedule.
struct ScheduleState {
  double factor = 1.0;  ///< of Schedule::plateau
  double best_loss = std::numeric_limits<double>::infinity();
  std::size_t epochs_since_best = 0;
};

/// The learning rate of step `step` (from 0) of `total_steps`.
double learning_rate(const ScheduleOptions& options, const ScheduleState& state, std::uint64_t step,
                     std::uint64_t total_steps);

/// To be called once per epoch with the validation loss.
void end_epoch(const ScheduleOptions& options, ScheduleState& state, double loss);

}  // namespace gaussianize::detail
