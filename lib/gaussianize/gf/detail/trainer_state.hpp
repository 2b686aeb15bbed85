#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gaussianize/flow/checkpoint.hpp"
#include "gaussianize/gf/adam.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/gf/schedule.hpp"

namespace gaussianize::detail {

/// Everything that a training run carries from one step to the next. Nothing else influences what follows, so a run
/// that starts from a copy of it ends in the same bits.
struct TrainerState {
  GfParameters parameters, best, average;  ///< average: only with average_decay
  AdamState adam;
  GfParameters previous;  ///< before the last step, with Adam's memory then: where an undone step goes back to
  AdamState previous_adam;
  ScheduleState schedule;
  std::uint64_t epoch = 0;  ///< epochs finished
  std::uint64_t batch = 0;  ///< batches of the current one finished
  double epoch_loss = 0.0;  ///< sum over them of loss·rows
  std::uint64_t epoch_rows = 0;
  std::uint64_t undone_steps = 0;  ///< in this epoch
  double rate_factor = 1.0;        ///< factor on the learning rate
  double best_loss = 0.0;
  std::uint64_t best_epoch = 0;
  double initial_nll = 0.0;
  double seconds = 0.0;
  std::vector<GfEpochReport> reports;
};

/// To and from a checkpoint. `fingerprint` names the data and options; unpack throws std::invalid_argument if it, or a
/// shape, is not the one expected. `shape` is a state of the right shape, as a fresh start makes it.
Checkpoint pack(TrainerState& state, const std::string& fingerprint);
TrainerState unpack(const Checkpoint& checkpoint, const std::string& fingerprint, TrainerState shape);

}  // namespace gaussianize::detail
