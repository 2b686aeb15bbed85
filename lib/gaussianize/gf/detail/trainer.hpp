#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/gf/detail/engine.hpp"
#include "gaussianize/gf/detail/trainer_state.hpp"
#include "gaussianize/gf/gf.hpp"

namespace gaussianize::detail {

/// Runs a fit from a state to its end: epochs, steps, validation, checkpoints. Used by fit_gf, resume_gf and
/// search_gf, which check the data.
class Trainer {
 public:
  /// `fixed_layers`, if given, are those that fit_fixed_layers returns for x and options: a search fits them once for
  /// many trainers.
  Trainer(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
          const Flow* fixed_layers = nullptr);

  /// The state before the first step: from `start`, or initialised from the data.
  TrainerState fresh(const GfParameters* start);

  /// The state that a checkpoint of the same fit holds.
  TrainerState resumed(const Checkpoint& checkpoint, const GfParameters* start);

  GfFit run(TrainerState state);

  /// Ends the run after `epochs` epochs of its schedule and returns the parameters then, whatever the validation loss.
  void stop_after(std::size_t epochs) { last_epoch_ = epochs; }

 private:
  /// Rows in the space where the trained layers begin.
  struct Rows {
    arma::mat x;
    double mean_log_det = 0.0;  ///< of the fixed layers
  };

  class Clock {
   public:
    double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

   private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  };

  /// Checks a start that the caller gave and sets the options to its shape.
  void adopt(const GfParameters& start);
  TrainerState state_from(const GfParameters& start) const;
  Rows through_fixed_layers(const arma::mat& x) const;
  double nll(const GfParameters& parameters, const Rows& rows) const;
  const GfParameters& evaluated() const { return options_.average_decay > 0 ? state_.average : state_.parameters; }
  std::uint64_t step_number() const { return state_.epoch * batches_ + state_.batch; }
  bool out_of_patience() const;
  bool chooses_epoch() const { return validation_.x.n_rows > 0 && last_epoch_ == 0; }

  /// The rest of the current epoch; false if the caller asked to stop.
  bool run_epoch();
  /// One step. A loss or gradient that is not finite undoes the step that led here and shortens the next.
  double train_batch(std::span<const std::size_t> rows);
  void take_step(double norm);
  /// The learning rate of a step, counted from 0.
  double rate_at(std::uint64_t number) const;
  /// Takes in parameters whose loss has proved finite: an undone step leaves no trace in the average.
  void update_average();
  double gradient_norm();
  [[noreturn]] void fail(double loss);
  void end_of_epoch();
  bool report_progress(double loss);
  void save();
  GfFit result(GfStop reason);

  GfOptions options_;
  GfEngine engine_;
  Flow fixed_;
  Rows training_, validation_;
  std::size_t batches_ = 0;
  std::size_t last_epoch_ = 0;  ///< 0: all are run, and the validation loss chooses one
  std::string fingerprint_;
  TrainerState state_;
  GfParameters gradient_;
  double rate_ = 0.0;
  double seconds_before_ = 0.0;
  double last_checkpoint_ = 0.0;
  double steps_began_ =
      0.0;  ///< on the clock: the initialisation, slow for images, is not counted in the time per step
  std::size_t steps_here_ = 0;
  Clock clock_;
};

}  // namespace gaussianize::detail
