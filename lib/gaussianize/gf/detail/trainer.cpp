#include "gaussianize/gf/detail/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/gf/detail/fixed_layers.hpp"
#include "gaussianize/gf/detail/initialise.hpp"
#include "gaussianize/gf/detail/resolve_options.hpp"
#include "gaussianize/marginal/detail/round_to_grid.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

namespace gaussianize::detail {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double rate_recovery = 1.01;  // growth of rate_factor with every step that is finite

}  // namespace

Trainer::Trainer(const arma::mat& x, const arma::mat& validation, const GfOptions& options, const Flow* fixed_layers)
    : options_(resolve(options, x.n_rows, x.n_cols)),
      engine_(std::min<std::size_t>(options_.batch, x.n_rows), options_.threads) {
  check_options(options_, x.n_cols);
  fixed_ = fixed_layers ? *fixed_layers : fit_fixed_layers(x, options_);
  training_ = through_fixed_layers(x);
  // Training amplifies the last bit, in which data in other units differ: it is removed by rounding.
  training_.x = round_to_grid(training_.x, options_.threads);
  if (validation.n_rows > 0) validation_ = through_fixed_layers(validation);
  batches_ = (x.n_rows + options_.batch - 1) / options_.batch;
  fingerprint_ = fingerprint(x, validation, options_);
}

TrainerState Trainer::fresh(const GfParameters* start) {
  if (start) adopt(*start);
  return state_from(start ? *start : initialise(training_.x, options_));
}

TrainerState Trainer::resumed(const Checkpoint& checkpoint, const GfParameters* start) {
  if (start) adopt(*start);
  // Only the shapes of this start matter, so any rows will do: its numbers are overwritten.
  RandomStream stream(options_.seed, Purpose::anchors);
  const arma::mat any = random_normal(100, fixed_.dimension, stream);
  return unpack(checkpoint, fingerprint_, state_from(start ? *start : initialise(any, options_)));
}

void Trainer::adopt(const GfParameters& start) {
  require(!start.layers.empty(), "fit_gf: the start has no layers");
  for (std::size_t l = 0; l < start.layers.size(); ++l)
    require(start.layers[l].marginal.mu.n_cols == fixed_.dimension, "fit_gf: layer ", l, " of the start has ",
            start.layers[l].marginal.mu.n_cols, " columns and the data ", fixed_.dimension);
  check({fixed_.dimension, to_layers(start)});
  options_.layers = start.layers.size();
  options_.marginals_per_rotation = 1;
  options_.first_anchors = start.layers.front().marginal.mu.n_rows;
  options_.anchors = start.layers.back().marginal.mu.n_rows;
}

GfFit Trainer::run(TrainerState state) {
  state_ = std::move(state);
  if (state_.epoch == 0 && state_.batch == 0) {
    state_.initial_nll = nll(state_.parameters, validation_.x.n_rows > 0 ? validation_ : training_);
    state_.best_loss = validation_.x.n_rows > 0 ? state_.initial_nll : nan;
  }
  seconds_before_ = state_.seconds;
  // A checkpoint may have been written after an epoch's last step.
  if (step_number() > 0) rate_ = rate_at(step_number() - 1);
  steps_began_ = clock_.seconds();
  GfStop reason = GfStop::epochs;
  while (state_.epoch < (last_epoch_ > 0 ? last_epoch_ : options_.epochs)) {
    if (out_of_patience()) {
      reason = GfStop::patience;
      break;
    }
    if (!run_epoch()) {
      reason = GfStop::cancelled;
      break;
    }
    end_of_epoch();
  }
  return result(reason);
}

TrainerState Trainer::state_from(const GfParameters& start) const {
  TrainerState state;
  state.parameters = start;
  limit_bandwidths(state.parameters, options_.marginal_layer, options_.threads);
  state.best = state.previous = state.parameters;
  if (options_.average_decay > 0) state.average = state.parameters;
  state.adam = state.previous_adam = start_adam(start, options_.adam);
  return state;
}

bool Trainer::out_of_patience() const {
  return options_.patience > 0 && chooses_epoch() && state_.epoch - state_.best_epoch >= options_.patience;
}

Trainer::Rows Trainer::through_fixed_layers(const arma::mat& x) const {
  Rows rows{x, 0.0};
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  for (const Layer& layer : fixed_.layers) forward(layer, rows.x, log_det, options_.threads);
  rows.mean_log_det = arma::mean(log_det);
  return rows;
}

double Trainer::nll(const GfParameters& parameters, const Rows& rows) const {
  if (rows.x.n_rows == 0) return nan;
  const Flow flow{fixed_.dimension, to_layers(parameters)};
  return -arma::mean(log_density(flow, rows.x, {.threads = options_.threads})) - rows.mean_log_det;
}

bool Trainer::run_epoch() {
  RandomStream stream(options_.seed, Purpose::epoch, state_.epoch);
  const std::vector<std::size_t> order = permutation(training_.x.n_rows, stream);
  for (; state_.batch < batches_;) {
    const RowRange range = block_range(state_.batch, order.size(), options_.batch);
    const std::span<const std::size_t> rows(order.data() + range.begin, range.size());
    const double loss = train_batch(rows);
    state_.epoch_loss += loss * static_cast<double>(rows.size());
    state_.epoch_rows += rows.size();
    ++state_.batch;
    state_.seconds = seconds_before_ + clock_.seconds();
    const bool due =
        options_.checkpoint_seconds > 0 && clock_.seconds() - last_checkpoint_ >= options_.checkpoint_seconds;
    if (due) save();
    if (!report_progress(loss)) {
      save();
      return false;
    }
  }
  return true;
}

double Trainer::train_batch(std::span<const std::size_t> rows) {
  double loss = engine_.loss_and_gradient(state_.parameters, training_.x, rows, gradient_);
  double norm = gradient_norm();
  if (std::isfinite(loss) && std::isfinite(norm)) {
    state_.rate_factor = std::min(1.0, rate_recovery * state_.rate_factor);
  } else {
    state_.parameters = state_.previous;
    state_.adam = state_.previous_adam;
    state_.rate_factor /= 2;
    ++state_.undone_steps;
    loss = engine_.loss_and_gradient(state_.parameters, training_.x, rows, gradient_);
    norm = gradient_norm();
    if (!std::isfinite(loss) || !std::isfinite(norm)) fail(loss);
  }
  state_.previous = state_.parameters;
  state_.previous_adam = state_.adam;
  update_average();
  take_step(norm);
  return loss - training_.mean_log_det;
}

void Trainer::take_step(double norm) {
  if (options_.clip_norm > 0 && norm > options_.clip_norm)
    for (const ParameterBlock& block : parameter_blocks(gradient_))
      for (std::size_t i = 0; i < block.count; ++i) block.values[i] *= options_.clip_norm / norm;
  rate_ = rate_at(step_number());
  adam_step(state_.parameters, gradient_, state_.adam, rate_, options_.adam);
  limit_bandwidths(state_.parameters, options_.marginal_layer, options_.threads);
}

double Trainer::rate_at(std::uint64_t number) const {
  return state_.rate_factor * learning_rate(options_.schedule, state_.schedule, number, options_.epochs * batches_);
}

void Trainer::update_average() {
  if (options_.average_decay == 0) return;
  // The decay is smaller at first, so that the start is forgotten.
  const auto steps = static_cast<double>(state_.adam.steps);
  const double share = 1 - std::min(options_.average_decay, (1 + steps) / (10 + steps));
  const auto now = parameter_blocks(state_.parameters);
  const auto average = parameter_blocks(state_.average);
  for (std::size_t b = 0; b < now.size(); ++b)
    for (std::size_t i = 0; i < now[b].count; ++i)
      average[b].values[i] += share * (now[b].values[i] - average[b].values[i]);
}

double Trainer::gradient_norm() {
  const auto norm = [&](double unit) {
    double squares = 0;
    for (const ParameterBlock& block : parameter_blocks(gradient_))
      for (std::size_t i = 0; i < block.count; ++i) squares += (unit * block.values[i]) * (unit * block.values[i]);
    return std::sqrt(squares) / unit;
  };
  // Squares overflow long before a gradient does.
  const double plain = norm(1.0);
  return std::isfinite(plain) ? plain : norm(0x1p-520);
}

void Trainer::fail(double loss) {
  Location location;
  std::string what = concat("the training loss is ", loss);
  for (const ParameterBlock& block : parameter_blocks(gradient_))
    for (std::size_t i = 0; i < block.count && !location.layer; ++i)
      if (!std::isfinite(block.values[i])) {
        location.layer = block.layer;
        if (!block.name.ends_with(" v"))
          location.dimension = i / block.rows;  // a reflection belongs to no single column
        what += concat(", the gradient of ", block.name, " is ", block.values[i]);
      }
  throw NumericalError(what + "; undoing and shortening the step did not help: lower the learning rate", location);
}

void Trainer::end_of_epoch() {
  const double loss = nll(evaluated(), validation_);
  const double monitored = std::isnan(loss) ? state_.epoch_loss / static_cast<double>(state_.epoch_rows) : loss;
  end_epoch(options_.schedule, state_.schedule, monitored);
  ++state_.epoch;
  if (!chooses_epoch() || loss < state_.best_loss) {
    state_.best = evaluated();
    state_.best_loss = loss;
    state_.best_epoch = state_.epoch;
  }
  state_.seconds = seconds_before_ + clock_.seconds();
  state_.reports.push_back({state_.epoch_loss / static_cast<double>(state_.epoch_rows), loss, rate_, state_.seconds,
                            static_cast<std::size_t>(state_.undone_steps)});
  state_.batch = 0;
  state_.epoch_loss = 0;
  state_.epoch_rows = 0;
  state_.undone_steps = 0;
  if (options_.checkpoint_epochs > 0 && state_.epoch % options_.checkpoint_epochs == 0) save();
}

bool Trainer::report_progress(double loss) {
  if (!options_.progress) return true;
  const std::size_t total = options_.epochs * batches_;
  const double left = (clock_.seconds() - steps_began_) / static_cast<double>(++steps_here_) *
                      static_cast<double>(total - step_number());
  Progress progress{.done = step_number(),
                    .total = total,
                    .stage = concat("epoch ", state_.epoch + 1, " of ", options_.epochs),
                    .loss = loss,
                    .seconds_left = left};
  const double validation_loss = state_.reports.empty() ? state_.initial_nll : state_.reports.back().validation_nll;
  if (!std::isnan(validation_loss)) progress.validation_loss = validation_loss;
  return options_.progress(progress);
}

void Trainer::save() {
  if (options_.checkpoint) options_.checkpoint(pack(state_, fingerprint_));
  last_checkpoint_ = clock_.seconds();
}

GfFit Trainer::result(GfStop reason) {
  GfFit fit;
  // If it was stopped before the end of the first epoch, `best` is the start.
  const GfParameters& kept = validation_.x.n_rows > 0 ? state_.best : evaluated();
  fit.flow = fixed_;
  for (Layer& layer : to_layers(kept)) fit.flow.layers.push_back(std::move(layer));
  fit.trained = kept;
  fit.options = options_;
  fit.epochs = state_.reports;
  fit.initial_nll = state_.initial_nll;
  fit.training_nll = nll(kept, training_);
  fit.validation_nll = state_.best_loss;
  fit.best_epoch = state_.best_epoch;
  fit.stop_reason = reason;
  fit.training_rows = training_.x.n_rows;
  fit.validation_rows = validation_.x.n_rows;
  fit.parameters = parameter_count(kept);
  return fit;
}

}  // namespace gaussianize::detail
