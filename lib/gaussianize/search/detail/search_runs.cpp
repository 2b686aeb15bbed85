#include "gaussianize/search/detail/search_runs.hpp"

#include <algorithm>
#include <utility>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/data/split.hpp"
#include "gaussianize/gf/detail/fixed_layers.hpp"
#include "gaussianize/gf/detail/trainer.hpp"
#include "gaussianize/search/detail/gf_candidates.hpp"
#include "gaussianize/search/rbig_start.hpp"

namespace gaussianize::detail {
namespace {

/// With fewer validation rows than this, candidates are compared by folds of the training rows.
constexpr std::size_t min_validation_rows = 200;
constexpr std::size_t folds_of_few_rows = 5;

bool has_constant_column(const arma::mat& x) {
  return arma::any(arma::max(x, 0) <= arma::min(x, 0));
}

}  // namespace

std::vector<SearchPart> make_parts(const arma::mat& x, const arma::mat& validation, Seed seed) {
  std::vector<SearchPart> parts;
  if (validation.n_rows < min_validation_rows && x.n_rows >= 4 * folds_of_few_rows)
    for (const Fold& fold : cross_validation_folds(x.n_rows, folds_of_few_rows, seed))
      parts.push_back({x.rows(fold.train), x.rows(fold.test)});
  // A column that is constant in a part has no density there.
  if (std::any_of(parts.begin(), parts.end(), [](const SearchPart& p) { return has_constant_column(p.training); }))
    parts.clear();
  parts.push_back({x, validation});
  return parts;
}

SearchRuns::SearchRuns(const std::vector<SearchPart>& parts, const std::vector<GfCandidate>& candidates,
                       const GfOptions& options, const GfSearchOptions& search, std::string fingerprint,
                       GfSearchState& state)
    : parts_(parts),
      candidates_(candidates),
      options_(options),
      search_(search),
      fingerprint_(std::move(fingerprint)),
      state_(state),
      folds_(parts.size() > 1 ? parts.size() - 1 : 1) {}

std::size_t SearchRuns::epochs_of(std::size_t c, std::size_t round) const {
  const std::size_t epochs = round_epochs(candidates_[c], search_, parts_.front().training.n_rows, round);
  return options_.epochs > 0 ? std::min(epochs, options_.epochs) : epochs;
}

std::vector<std::size_t> SearchRuns::single_cycle_candidates() const {
  std::vector<std::size_t> list;
  for (std::size_t c = 0; c < candidates_.size(); ++c)
    if (candidates_[c].single_cycle) list.push_back(c);
  return list;
}

SearchRuns::FixedLayersKey SearchRuns::fixed_layers_key(std::size_t part, const GfOptions& options) {
  return {part, options.marginal_layer, options.whitening_layer};
}

const Flow& SearchRuns::fixed_layers(std::size_t part, const GfOptions& options) {
  Flow& flow = fixed_layers_[fixed_layers_key(part, options)];
  if (flow.layers.empty()) flow = fit_fixed_layers(parts_[part].training, options);
  return flow;
}

bool SearchRuns::train_all(const std::vector<std::size_t>& list, std::size_t round) {
  std::vector<SearchRun> runs;
  for (const std::size_t c : list)
    for (std::size_t f = 0; f < folds_; ++f)
      if (state_.slots[c][f].round_ends.size() <= round) {
        runs.push_back({c, f, round});
        fixed_layers(f, candidates_[c].options);
      }
  if (runs.empty()) return true;
  const std::size_t threads = resolve_threads(options_.threads);
  const std::size_t at_once = std::min(threads, runs.size());
  for (SearchRun& run : runs) run.threads = static_cast<int>(threads / at_once);
  parallel_for(runs.size(), static_cast<int>(at_once), [&](std::size_t r) { train(runs[r]); });
  return !cancelled_;
}

bool SearchRuns::train(const SearchRun& run) {
  if (cancelled_) return false;
  const auto& [training, held_out] = parts_[run.part];
  const GfCandidate& candidate = candidates_[run.candidate];
  GfSearchSlot slot = state_.slots[run.candidate][run.part];
  GfOptions options = candidate.options;
  options.epochs = epochs_of(run.candidate, run.round);
  options.threads = run.threads;
  // Another order of the rows in every round.
  options.seed = Seed{options.seed.value + run.round};
  attach_callbacks(options, run);
  std::optional<GfParameters> start;
  if (!slot.trained.layers.empty())
    start = slot.trained;
  else if (candidate.from_rbig)
    start = rbig_start(training, held_out, options);
  // RBIG may keep no layer: then training starts from quantiles.
  const GfParameters* from = start && !start->layers.empty() ? &*start : nullptr;
  const std::optional<Checkpoint> checkpoint = saved_run(run);
  Trainer trainer(training, held_out, options, &fixed_layers_.at(fixed_layers_key(run.part, options)));
  trainer.stop_after(run.epochs);
  GfFit fit = trainer.run(checkpoint ? trainer.resumed(*checkpoint, from) : trainer.fresh(from));
  const double before = slot.epochs.empty() ? 0.0 : slot.epochs.back().seconds;
  if (slot.epochs.empty()) slot.initial_nll = fit.initial_nll;
  for (GfEpochReport report : fit.epochs) {
    report.seconds += before;
    slot.epochs.push_back(report);
  }
  slot.trained = std::move(fit.trained);
  slot.log_density = log_density(fit.flow, held_out, {.threads = options.threads});
  return store_result(run, std::move(slot), fit.stop_reason == GfStop::cancelled);
}

/// The checkpoint of a run that was interrupted, if it was.
std::optional<Checkpoint> SearchRuns::saved_run(const SearchRun& run) {
  const std::lock_guard lock(mutex_);
  const auto found = state_.runs.find({run.candidate, run.part});
  if (found == state_.runs.end()) return std::nullopt;
  return found->second;
}

/// Stores the result of a run. The state holds complete rounds: an interrupted one continues from its checkpoint.
bool SearchRuns::store_result(const SearchRun& run, GfSearchSlot slot, bool cancelled) {
  const std::lock_guard lock(mutex_);
  if (cancelled) {
    cancelled_ = true;
    interrupted_[{run.candidate, run.part}] = std::move(slot);
    return false;
  }
  slot.round_ends.push_back(slot.epochs.size());
  state_.slots[run.candidate][run.part] = std::move(slot);
  state_.runs.erase({run.candidate, run.part});
  running_.erase({run.candidate, run.part});
  if (run.part == folds_) state_.next = run.round + 1;
  done_ += epochs_of(run.candidate, run.round);
  save_if_due();
  return true;
}

void SearchRuns::keep_interrupted(std::size_t candidate, std::size_t part) {
  const auto found = interrupted_.find({candidate, part});
  if (found != interrupted_.end()) state_.slots[candidate][part] = std::move(found->second);
}

/// Epochs of the search if the last candidate is trained for all rounds.
std::size_t SearchRuns::planned_epochs() const {
  std::size_t total = 0, remaining = 0;
  for (const GfCandidate& candidate : candidates_) remaining += candidate.trained && !candidate.single_cycle ? 1 : 0;
  for (std::size_t r = 0; r < max_rounds; ++r, remaining = (remaining + 1) / 2)
    total += (remaining * folds_ + (folds_ > 1 ? 1 : 0)) * epochs_of(state_.remaining.front(), r);
  for (const std::size_t c : single_cycle_candidates()) total += folds_ * epochs_of(c, 0);
  return total;
}

std::string SearchRuns::describe(const SearchRun& run) const {
  const GfCandidate& candidate = candidates_[run.candidate];
  if (run.part == folds_) return concat("training ", candidate.name);
  const std::string fold = folds_ > 1 ? concat(", fold ", run.part + 1) : "";
  if (candidate.single_cycle) return concat("search, ", candidate.name, fold);
  const std::size_t left = state_.remaining.size();
  return concat("search round ", run.round + 1, ", ", left,
                left == 1 ? " candidate left: " : " candidates left: ", candidate.name, fold);
}

/// Passes progress and checkpoints of a run on as those of the search.
void SearchRuns::attach_callbacks(GfOptions& options, const SearchRun& run) {
  options.progress = {};
  options.checkpoint = {};
  const RunKey key{run.candidate, run.part};
  if (options_.checkpoint)
    options.checkpoint = [this, key](const Checkpoint& checkpoint) {
      const std::lock_guard lock(mutex_);
      state_.runs[key] = checkpoint;
      save();
    };
  if (!options_.progress) return;
  options.progress = [this, key, where = describe(run), epochs = options.epochs,
                      total = planned_epochs()](const Progress& p) {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return false;
    running_[key] = epochs * p.done / std::max<std::size_t>(1, p.total);
    std::size_t done = done_;
    for (const auto& [other, within] : running_) done += within;
    // The time that is left of one run is not that of the search.
    cancelled_ =
        !options_.progress({std::min(total, done), total, concat(where, "; ", p.stage), p.loss, p.validation_loss});
    return !cancelled_;
  };
}

void SearchRuns::save() {
  options_.checkpoint(pack(state_, fingerprint_));
  saved_ = Clock::now();
}

/// A round may be shorter than the time between two checkpoints.
void SearchRuns::save_if_due() {
  if (!options_.checkpoint) return;
  const double passed = std::chrono::duration<double>(Clock::now() - saved_).count();
  if (options_.checkpoint_epochs > 0 || (options_.checkpoint_seconds > 0 && passed >= options_.checkpoint_seconds))
    save();
}

}  // namespace gaussianize::detail
