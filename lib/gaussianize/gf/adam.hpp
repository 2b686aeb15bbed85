#pragma once

#include <cstdint>

#include "gaussianize/gf/parameters.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

struct AdamOptions {
  double beta1 = 0.9;  ///< decay of the mean gradient
  /// Decay of the mean squared gradient. Shorter than the usual 0.999: kernels that narrow onto tied values make
  /// gradients steep within a few steps, and a long memory answers too late.
  double beta2 = 0.99;
  double epsilon = 1e-8;  ///< added to the root of the latter
  bool amsgrad = false;   ///< divide by the largest mean square seen [Reddi, Kale & Kumar 2018]
};

/// What Adam remembers between steps.
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

}  // namespace gaussianize
#pragma GCC visibility pop
