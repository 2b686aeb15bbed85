#include "gaussianize/search/gf_search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "gaussianize/core/error.hpp"
#include "gaussianize/core/parallel.hpp"
#include "gaussianize/data/split.hpp"
#include "gaussianize/gf/fingerprint.hpp"
#include "gaussianize/gf/fixed_layers.hpp"
#include "gaussianize/gf/trainer.hpp"
#include "gaussianize/search/gf_candidates.hpp"
#include "gaussianize/search/gf_search_state.hpp"
#include "gaussianize/search/rbig_start.hpp"
#include "gaussianize/search/stopping.hpp"

namespace gaussianize {
namespace {

/// Fewer validation rows than this cannot tell candidates apart: then the training rows do, in folds.
constexpr std::size_t min_judged_rows = 400;
constexpr std::size_t folds_of_few_rows = 5;
/// A round that lowers the held-out loss by less than this, in nats, is the last.
constexpr double min_gain = 0.003;

struct Part {
  arma::mat training, held_out;
};

bool has_constant_column(const arma::mat& x) {
  return arma::any(arma::max(x, 0) <= arma::min(x, 0));
}

/// The parts that candidates are compared on.
std::vector<Part> make_parts(const arma::mat& x, const arma::mat& validation, Seed seed) {
  std::vector<Part> parts;
  if (validation.n_rows < min_judged_rows && x.n_rows >= 4 * folds_of_few_rows) {
    for (const Fold& fold : cross_validation_folds(x.n_rows, folds_of_few_rows, seed))
      parts.push_back({x.rows(fold.train), x.rows(fold.test)});
    // A column that is constant in a part has no density there.
    if (std::none_of(parts.begin(), parts.end(), [](const Part& p) { return has_constant_column(p.training); }))
      return parts;
    parts.clear();
  }
  parts.push_back({x, validation});
  return parts;
}

class Searcher {
 public:
  Searcher(const arma::mat& x, const arma::mat& validation, const GfOptions& options, const GfSearchOptions& search)
      : options_(options), search_(search), parts_(make_parts(x, validation, options.seed)), folds_(parts_.size()) {
    if (folds_ > 1) parts_.push_back({x, validation});
    result_.candidates = gf_candidates(options, search, parts_.front().training.n_rows, x.n_cols, folds_);
    result_.folds = folds_;
    for (std::size_t f = 0; f < folds_; ++f) result_.judged_rows += parts_[f].held_out.n_rows;
    const auto choice = [](const std::optional<bool>& value) { return value ? static_cast<int>(*value) : -1; };
    fingerprint_ = concat(fingerprint(x, validation, resolve(options, x.n_rows, x.n_cols)), " search ", search.effort,
                          " given ", options.layers, " ", options.anchors, " ", options.epochs, " ",
                          choice(search.kde_front), " ", choice(search.whiten_front), " ", choice(search.from_rbig));
  }

  GfSearchResult fresh() {
    for (std::size_t c = 0; c < result_.candidates.size(); ++c) {
      state_.slots.emplace_back(parts_.size());
      if (!result_.candidates[c].trained)
        score_fixed(c);
      else if (!result_.candidates[c].in_one_go)
        state_.alive.push_back(c);
    }
    state_.last_nll = std::numeric_limits<double>::infinity();
    return run();
  }

  GfSearchResult resumed(const TensorBundle& checkpoint) {
    state_ = unpack(checkpoint, fingerprint_, result_.candidates, parts_.front().training.n_cols, parts_.size());
    return run();
  }

 private:
  using Clock = std::chrono::steady_clock;

  GfSearchResult run() {
    while (state_.phase == SearchPhase::rounds) {
      if (!train_all(state_.alive, state_.round)) return finish_interrupted(state_.alive.front(), 0);
      if (end_round())
        ++state_.round;
      else
        state_.phase = SearchPhase::in_one_go;
    }
    if (state_.phase == SearchPhase::in_one_go) {
      if (!train_all(trained_in_one_go(), 0)) return finish_interrupted(trained_in_one_go().front(), 0);
      state_.phase = SearchPhase::last;
    }
    const std::size_t winner = choose();
    if (!result_.candidates[winner].trained) return finish_fixed(winner);
    if (folds_ == 1) return finish(winner, 0);
    const std::span<const GfSearchSlot> folds(state_.slots[winner].data(), folds_);
    front(folds_, result_.candidates[winner].options);
    while (state_.next < folds.front().round_ends.size()) {
      // The validation rows are too few to choose the epoch too. A first step away from the start is always taken.
      const std::size_t epochs = std::max<std::size_t>(state_.next == 0 ? 1 : 0, stopping_epoch(folds, state_.next));
      if (epochs == 0)
        ++state_.next;
      else if (!train({winner, folds_, state_.next, epochs, options_.threads}))
        return finish_interrupted(winner, folds_);
    }
    return finish(winner, folds_);
  }

  /// One training.
  struct Run {
    std::size_t candidate, part, round;
    std::size_t epochs = 0;  ///< > 0: only so many of the round's, the last of them kept
    int threads = 0;
  };

  /// Trains those of the list that are not yet trained in this round, some at the same time: small tables and few
  /// columns have too little work in a step for many threads. False if the caller asked to stop.
  bool train_all(const std::vector<std::size_t>& list, std::size_t round) {
    std::vector<Run> runs;
    for (const std::size_t c : list)
      for (std::size_t f = 0; f < folds_; ++f)
        if (state_.slots[c][f].round_ends.size() <= round) {
          runs.push_back({c, f, round});
          front(f, result_.candidates[c].options);
        }
    if (runs.empty()) return true;
    const std::size_t threads = resolve_threads(options_.threads);
    const std::size_t at_once = std::min(threads, runs.size());
    for (Run& run : runs) run.threads = static_cast<int>(threads / at_once);
    parallel_for(runs.size(), static_cast<int>(at_once), [&](std::size_t r) { train(runs[r]); });
    return !cancelled_;
  }

  std::vector<std::size_t> trained_in_one_go() const {
    std::vector<std::size_t> list;
    for (std::size_t c = 0; c < result_.candidates.size(); ++c)
      if (result_.candidates[c].in_one_go) list.push_back(c);
    return list;
  }

  using FrontKey = std::tuple<std::size_t, bool, bool>;  ///< part, kernel maps, whitening
  static FrontKey front_key(std::size_t part, const GfOptions& options) {
    return {part, options.kde_front, options.whiten_front};
  }

  /// The fixed layers of a part, fitted when first asked for.
  const Flow& front(std::size_t part, const GfOptions& options) {
    Flow& flow = fronts_[front_key(part, options)];
    if (flow.layers.empty()) flow = fit_fixed_layers(parts_[part].training, options);
    return flow;
  }

  void score_fixed(std::size_t c) {
    for (std::size_t f = 0; f < folds_; ++f) {
      state_.slots[c][f].log_density =
          log_density(front(f, result_.candidates[c].options), parts_[f].held_out, {.threads = options_.threads});
    }
  }

  std::size_t epochs_of(std::size_t c, std::size_t round) const {
    const std::size_t epochs = round_epochs(result_.candidates[c], search_, parts_.front().training.n_rows, round);
    return options_.epochs > 0 ? std::min(epochs, options_.epochs) : epochs;
  }

  /// One round of one candidate on one part, from where its last one stopped. False if the caller asked to stop.
  bool train(const Run& run) {
    if (cancelled_) return false;
    const auto& [training, held_out] = parts_[run.part];
    const GfCandidate& candidate = result_.candidates[run.candidate];
    GfSearchSlot slot = state_.slots[run.candidate][run.part];
    GfOptions options = candidate.options;
    options.epochs = epochs_of(run.candidate, run.round);
    options.threads = run.threads;
    // Another order of the rows in every round.
    options.seed = Seed{options.seed.value + run.round};
    hook(options, run);
    std::optional<GfParameters> start;
    if (!slot.trained.layers.empty())
      start = slot.trained;
    else if (candidate.from_rbig)
      start = rbig_start(training, held_out, options);
    // RBIG may keep no layer: then training starts from quantiles.
    const GfParameters* from = start && !start->layers.empty() ? &*start : nullptr;
    const std::optional<TensorBundle> checkpoint = take_up(run);
    Trainer trainer(training, held_out, options, &fronts_.at(front_key(run.part, options)));
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
    return put_down(run, std::move(slot), fit.stop_reason == GfStop::cancelled);
  }

  /// The checkpoint of a run that was interrupted, if it was.
  std::optional<TensorBundle> take_up(const Run& run) {
    const std::lock_guard lock(mutex_);
    const auto found = state_.runs.find({run.candidate, run.part});
    if (found == state_.runs.end()) return std::nullopt;
    return found->second;
  }

  /// Keeps what a run has come to. The state holds whole rounds: one that was cut short goes on from its checkpoint.
  bool put_down(const Run& run, GfSearchSlot slot, bool cancelled) {
    const std::lock_guard lock(mutex_);
    if (cancelled) {
      cancelled_ = true;
      interrupted_[{run.candidate, run.part}] = std::move(slot);
      return false;
    }
    slot.round_ends.push_back(slot.epochs.size());
    state_.slots[run.candidate][run.part] = std::move(slot);
    state_.runs.erase({run.candidate, run.part});
    under_way_.erase({run.candidate, run.part});
    if (run.part == folds_) state_.next = run.round + 1;
    done_ += epochs_of(run.candidate, run.round);
    save_if_due();
    return true;
  }

  /// Drops the worse half. False if the only one left gains no more.
  bool end_round() {
    std::stable_sort(state_.alive.begin(), state_.alive.end(),
                     [&](std::size_t a, std::size_t b) { return held_out_nll(a).value < held_out_nll(b).value; });
    const std::size_t alive = state_.alive.size();
    const double nll = held_out_nll(state_.alive.front()).value;
    const double gain = std::exchange(state_.last_nll, nll) - nll;
    state_.alive.resize((alive + 1) / 2);
    if (alive > 1) return true;
    const bool whole = options_.epochs > 0 && epochs_of(state_.alive.front(), state_.round) >= options_.epochs;
    return gain >= min_gain && state_.round + 1 < max_rounds && !whole;
  }

  /// log p of the held-out rows, less what stopping where they like it best has gained.
  arma::vec held_out(std::size_t c) const {
    const std::span<const GfSearchSlot> folds(state_.slots[c].data(), folds_);
    const std::vector<double> optimism = stopping_optimism(folds);
    arma::vec all;
    for (std::size_t f = 0; f < folds_; ++f) all = arma::join_cols(all, folds[f].log_density - optimism[f]);
    return all;
  }
  Estimate held_out_nll(std::size_t c) const { return mean_estimate(-held_out(c)); }

  /// The best of those that are left, or the simplest one without trained layers within one standard error of it.
  std::size_t choose() {
    std::size_t best = state_.alive.front();
    for (std::size_t c = 0; c < result_.candidates.size(); ++c) {
      const GfCandidate& candidate = result_.candidates[c];
      if ((!candidate.trained || candidate.in_one_go) && held_out_nll(c).value < held_out_nll(best).value) best = c;
    }
    for (std::size_t c = 0; c < result_.candidates.size(); ++c) {
      if (result_.candidates[c].trained) continue;
      const Estimate loss = mean_estimate(held_out(best) - held_out(c));
      if (loss.value <= loss.standard_error) return c;
    }
    return best;
  }

  void describe_candidates(std::size_t winner) {
    for (std::size_t c = 0; c < result_.candidates.size(); ++c) {
      GfCandidate& candidate = result_.candidates[c];
      const GfSearchSlot& slot = state_.slots[c].front();
      if (slot.log_density.is_empty())
        candidate.held_out_nll = {NAN, NAN};
      else
        candidate.held_out_nll = held_out_nll(c);
      candidate.epochs = slot.epochs.size();
      candidate.rounds = slot.round_ends.size();
      candidate.chosen = c == winner;
    }
  }

  /// The result of a search that was stopped: a candidate as far as it got.
  GfSearchResult finish_interrupted(std::size_t candidate, std::size_t part) {
    const auto found = interrupted_.find({candidate, part});
    if (found != interrupted_.end()) state_.slots[candidate][part] = std::move(found->second);
    return finish(candidate, part);
  }

  /// The result: the winner as it was trained on a part.
  GfSearchResult finish(std::size_t winner, std::size_t part) {
    const GfSearchSlot& slot = state_.slots[winner][part];
    GfFit fit;
    fit.options = result_.candidates[winner].options;
    fit.options.epochs = slot.epochs.size();
    fit.options.seed = options_.seed;
    fit.options.layers = slot.trained.layers.size() / fit.options.marginals_per_rotation;
    fit.options.first_anchors = slot.trained.layers.front().marginal.mu.n_rows;
    fit.options.anchors = slot.trained.layers.back().marginal.mu.n_rows;
    fit.flow = front(part, fit.options);
    for (Layer& layer : to_layers(slot.trained)) fit.flow.layers.push_back(std::move(layer));
    fit.trained = slot.trained;
    fit.epochs = slot.epochs;
    fit.parameters = parameter_count(slot.trained);
    const bool all_rounds = slot.round_ends.size() == max_rounds || result_.candidates[winner].in_one_go;
    fit.stop_reason = cancelled_ ? GfStop::cancelled : all_rounds ? GfStop::epochs : GfStop::patience;
    return finish(winner, part, std::move(fit), slot.initial_nll);
  }

  GfSearchResult finish_fixed(std::size_t winner) {
    GfFit fit;
    fit.options = result_.candidates[winner].options;
    fit.options.layers = 0;
    fit.flow = front(parts_.size() - 1, fit.options);
    fit.stop_reason = GfStop::patience;
    return finish(winner, parts_.size() - 1, std::move(fit), std::nullopt);
  }

  GfSearchResult finish(std::size_t winner, std::size_t part, GfFit fit, std::optional<double> initial_nll) {
    const auto& [training, held_out] = parts_[part];
    const auto nll = [&](const arma::mat& rows) {
      return -arma::mean(log_density(fit.flow, rows, {.threads = options_.threads}));
    };
    fit.training_nll = nll(training);
    fit.validation_nll = nll(held_out);
    fit.initial_nll = initial_nll.value_or(fit.validation_nll);
    fit.training_rows = training.n_rows;
    fit.validation_rows = held_out.n_rows;
    // Kept: the lowest loss so far where the held-out rows choose, the last epoch where the folds have chosen.
    double best = fit.initial_nll;
    for (std::size_t e = 0; e < fit.epochs.size(); ++e)
      if (part == folds_ || fit.epochs[e].validation_nll < best) {
        best = fit.epochs[e].validation_nll;
        fit.best_epoch = e + 1;
      }
    describe_candidates(winner);
    result_.fit = std::move(fit);
    return std::move(result_);
  }

  /// Epochs that a search takes if the last candidate is trained for all rounds.
  std::size_t planned() const {
    std::size_t total = 0, alive = 0;
    for (const GfCandidate& candidate : result_.candidates) alive += candidate.trained && !candidate.in_one_go ? 1 : 0;
    for (std::size_t r = 0; r < max_rounds; ++r, alive = (alive + 1) / 2)
      total += (alive * folds_ + (folds_ > 1 ? 1 : 0)) * epochs_of(state_.alive.front(), r);
    for (const std::size_t c : trained_in_one_go()) total += folds_ * epochs_of(c, 0);
    return total;
  }

  std::string describe(const Run& run) const {
    const GfCandidate& candidate = result_.candidates[run.candidate];
    if (run.part == folds_) return concat("training ", candidate.name);
    const std::string fold = folds_ > 1 ? concat(", fold ", run.part + 1) : "";
    if (candidate.in_one_go) return concat("search, ", candidate.name, fold);
    const std::size_t left = state_.alive.size();
    return concat("search round ", run.round + 1, ", ", left,
                  left == 1 ? " candidate left: " : " candidates left: ", candidate.name, fold);
  }

  /// Lets a run report and save as a part of the search.
  void hook(GfOptions& options, const Run& run) {
    options.progress = {};
    options.checkpoint = {};
    const RunKey key{run.candidate, run.part};
    if (options_.checkpoint)
      options.checkpoint = [this, key](const TensorBundle& bundle) {
        const std::lock_guard lock(mutex_);
        state_.runs[key] = bundle;
        save();
      };
    if (!options_.progress) return;
    options.progress = [this, key, where = describe(run), epochs = options.epochs,
                        total = planned()](const Progress& p) {
      const std::lock_guard lock(mutex_);
      if (cancelled_) return false;
      under_way_[key] = epochs * p.done / std::max<std::size_t>(1, p.total);
      std::size_t done = done_;
      for (const auto& [other, within] : under_way_) done += within;
      cancelled_ = !options_.progress({std::min(total, done), total, concat(where, "; ", p.message)});
      return !cancelled_;
    };
  }

  void save() {
    options_.checkpoint(pack(state_, fingerprint_));
    saved_ = Clock::now();
  }

  /// A round may be shorter than the time between two checkpoints.
  void save_if_due() {
    if (!options_.checkpoint) return;
    const double passed = std::chrono::duration<double>(Clock::now() - saved_).count();
    if (options_.checkpoint_epochs > 0 || (options_.checkpoint_seconds > 0 && passed >= options_.checkpoint_seconds))
      save();
  }

  const GfOptions& options_;
  const GfSearchOptions& search_;
  std::vector<Part> parts_;  ///< the folds, and behind several of them the training and validation rows
  std::size_t folds_;
  std::map<FrontKey, Flow> fronts_;
  std::string fingerprint_;
  GfSearchState state_;
  GfSearchResult result_;
  // Runs that are trained at the same time share what follows, and the state.
  std::mutex mutex_;
  std::atomic<bool> cancelled_ = false;
  std::map<RunKey, GfSearchSlot> interrupted_;
  std::map<RunKey, std::size_t> under_way_;  ///< epochs
  std::size_t done_ = 0;                     ///< epochs of runs that are done
  Clock::time_point saved_ = Clock::now();
};

void check_search(const arma::mat& x, const arma::mat& validation, const GfSearchOptions& search) {
  require(validation.n_rows > 0, "search_gf: there are no validation rows to choose by; pass some, or use fit_gf");
  require(search.effort > 0 && std::isfinite(search.effort), "GfSearchOptions::effort is ", search.effort,
          "; it must be positive");
  require(x.n_rows >= 2 && x.n_cols >= 1 && validation.n_cols == x.n_cols, "search_gf: ", x.n_rows, " × ", x.n_cols,
          " training and ", validation.n_rows, " × ", validation.n_cols,
          " validation data; at least 2 rows of the same columns are needed");
  require_finite(x, "search_gf");
  require_finite(validation, "search_gf, validation");
}

}  // namespace

GfSearchResult search_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
                         const GfSearchOptions& search) {
  check_search(x, validation, search);
  const BlasGuard blas;
  return Searcher(x, validation, options, search).fresh();
}

GfSearchResult search_gf(const arma::mat& x, const GfOptions& options, const GfSearchOptions& search) {
  require(x.n_rows >= 3, "search_gf: ", x.n_rows, " rows; at least 3 are needed to hold some out");
  const double share = std::max(options.validation_fraction, 1 / static_cast<double>(x.n_rows));
  require(share < 1, "GfOptions::validation_fraction is ", share, "; it must lie in [0, 1)");
  const SplitRows rows = split_rows(x.n_rows, {1 - share, share, 0.0}, options.seed);
  return search_gf(x.rows(rows.train), x.rows(rows.validation), options, search);
}

GfSearchResult resume_search_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
                                const GfSearchOptions& search, const TensorBundle& checkpoint) {
  check_search(x, validation, search);
  const BlasGuard blas;
  return Searcher(x, validation, options, search).resumed(checkpoint);
}

}  // namespace gaussianize
