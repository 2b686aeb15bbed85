#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gaussianize/flow/checkpoint.hpp"
#include "gaussianize/gf/detail/optimizer.hpp"
#include "gaussianize/gf/gf.hpp"

namespace gaussianize::detail {

/// The complete state of training between two steps: a run that continues from a copy of it ends with the same bits.
struct TrainerState {
  GfParameters parameters, best, average;  ///< average: only with average_decay
  AdamState adam;
  GfParameters previous;  ///< before the last step, with Adam's state then: an undone step returns here
  AdamState previous_adam;
  ScheduleState schedule;
  std::uint64_t epoch = 0;  ///< epochs finished
  std::uint64_t batch = 0;  ///< batches of the current one finished
  double epoch_loss = 0.0;  ///< sum of loss·rows over these batches
  std::uint64_t epoch_rows = 0;
  std::uint64_t undone_steps = 0;  ///< in this epoch
  double rate_factor = 1.0;        ///< factor on the learning rate
  double best_loss = 0.0;
  std::uint64_t best_epoch = 0;
  double initial_nll = 0.0;
  double seconds = 0.0;
  std::vector<GfEpochReport> reports;
};

/// All that decides the course of a fit, as a line of text: the data's bits and every (resolved) option that matters.
/// Two fits with the same line take the same course.
std::string fingerprint(const arma::mat& x, const arma::mat& validation, const GfOptions& options);

/// To and from a checkpoint. `fingerprint` identifies the data and options; unpack throws std::invalid_argument if it,
/// or a shape, is not the one expected. `shape` is a state of the right shape, as a fresh start makes it.
Checkpoint pack(TrainerState& state, const std::string& fingerprint);
TrainerState unpack(const Checkpoint& checkpoint, const std::string& fingerprint, TrainerState shape);

}  // namespace gaussianize::detail
