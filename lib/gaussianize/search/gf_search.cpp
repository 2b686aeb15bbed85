#include "gaussianize/search/gf_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
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

namespace gaussianize {
namespace {

/// Fewer validation rows than this cannot tell candidates apart: then the training rows do, in folds.
constexpr std::size_t min_judged_rows = 400;
constexpr std::size_t folds_of_few_rows = 5;
/// A round that lowers the held-out loss by less than this, in nats, is the last.
constexpr double min_gain = 0.003;
constexpr std::size_t max_rounds = 6;

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
    result_.candidates = gf_candidates(options, search, parts_.front().training.n_rows, x.n_cols);
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
      if (result_.candidates[c].trained)
        state_.alive.push_back(c);
      else
        score_fixed(c);
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
    while (!state_.last_run) {
      while (state_.next < state_.alive.size() * folds_) {
        const std::size_t c = state_.alive[state_.next / folds_];
        if (!train(c, state_.next % folds_, state_.round)) return finish(c);
        ++state_.next;
      }
      state_.next = 0;
      if (!end_round()) {
        state_.last_run = true;
        break;
      }
      ++state_.round;
    }
    const std::size_t winner = choose();
    if (!result_.candidates[winner].trained) return finish_fixed(winner);
    if (folds_ > 1)
      for (; state_.next <= state_.round; ++state_.next)
        if (!train(winner, folds_, state_.next)) break;
    return finish(winner);
  }

  /// The fixed layers of a part, fitted when first asked for.
  const Flow& front(std::size_t part, const GfOptions& options) {
    Flow& flow = fronts_[{part, options.kde_front, options.whiten_front}];
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
  bool train(std::size_t c, std::size_t part, std::size_t round) {
    const GfCandidate& candidate = result_.candidates[c];
    GfSearchSlot& slot = state_.slots[c][part];
    GfOptions options = candidate.options;
    options.epochs = epochs_of(c, round);
    // Another order of the rows in every round.
    options.seed = Seed{options_.seed.value + round};
    hook(options, c, part, round);
    save_if_due();
    const auto& [training, held_out] = parts_[part];
    std::optional<GfParameters> start;
    if (!slot.trained.layers.empty())
      start = slot.trained;
    else if (candidate.from_rbig)
      start = rbig_start(training, held_out, options);
    // RBIG may keep no layer: then training starts from quantiles.
    const GfParameters* from = start && !start->layers.empty() ? &*start : nullptr;
    const std::optional<TensorBundle> checkpoint = std::exchange(state_.run, std::nullopt);
    Trainer trainer(training, held_out, options, &front(part, options));
    fit_ = trainer.run(checkpoint ? trainer.resumed(*checkpoint, from) : trainer.fresh(from));
    const double before = slot.epochs.empty() ? 0.0 : slot.epochs.back().seconds;
    if (slot.epochs.empty()) slot.initial_nll = fit_.initial_nll;
    for (GfEpochReport report : fit_.epochs) {
      report.seconds += before;
      slot.epochs.push_back(report);
    }
    if (fit_.stop_reason == GfStop::cancelled) return false;
    state_.run.reset();
    slot.trained = fit_.trained;
    slot.log_density = log_density(fit_.flow, held_out, {.threads = options_.threads});
    done_ += options.epochs;
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

  arma::vec held_out(std::size_t c) const {
    arma::vec all;
    for (std::size_t f = 0; f < folds_; ++f) all = arma::join_cols(all, state_.slots[c][f].log_density);
    return all;
  }
  Estimate held_out_nll(std::size_t c) const { return mean_estimate(-held_out(c)); }

  /// The simplest candidate within one standard error of the best of those that are left.
  std::size_t choose() {
    const std::size_t trained = state_.alive.front();
    std::vector<std::size_t> list;
    for (std::size_t c = 0; c < result_.candidates.size(); ++c)
      if (!result_.candidates[c].trained || c == trained) list.push_back(c);
    const std::size_t best = *std::min_element(list.begin(), list.end(), [&](std::size_t a, std::size_t b) {
      return held_out_nll(a).value < held_out_nll(b).value;
    });
    for (const std::size_t c : list) {
      const Estimate loss = mean_estimate(held_out(best) - held_out(c));
      if (c == best || loss.value <= loss.standard_error) return c;
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
      for (std::size_t epochs = 0; epochs < slot.epochs.size(); ++candidate.rounds)
        epochs += epochs_of(c, candidate.rounds);
      candidate.chosen = c == winner;
    }
  }

  GfSearchResult finish(std::size_t winner) {
    const GfSearchSlot& slot = state_.slots[winner][folds_ > 1 && state_.last_run ? folds_ : state_.next % folds_];
    fit_.epochs = slot.epochs;
    fit_.initial_nll = slot.initial_nll;
    fit_.options.epochs = slot.epochs.size();
    fit_.options.seed = options_.seed;
    fit_.best_epoch = 0;
    double best = slot.initial_nll;
    for (std::size_t e = 0; e < slot.epochs.size(); ++e)
      if (slot.epochs[e].validation_nll < best) {
        best = slot.epochs[e].validation_nll;
        fit_.best_epoch = e + 1;
      }
    if (fit_.stop_reason != GfStop::cancelled && state_.round + 1 < max_rounds) fit_.stop_reason = GfStop::patience;
    describe_candidates(winner);
    result_.fit = std::move(fit_);
    return std::move(result_);
  }

  GfSearchResult finish_fixed(std::size_t winner) {
    const auto& [training, held_out] = parts_.back();
    GfFit fit;
    fit.options = result_.candidates[winner].options;
    fit.options.layers = 0;
    fit.flow = front(parts_.size() - 1, fit.options);
    const auto nll = [&](const arma::mat& rows) {
      return -arma::mean(log_density(fit.flow, rows, {.threads = options_.threads}));
    };
    fit.training_nll = nll(training);
    fit.initial_nll = fit.validation_nll = nll(held_out);
    fit.stop_reason = GfStop::patience;
    fit.training_rows = training.n_rows;
    fit.validation_rows = held_out.n_rows;
    describe_candidates(winner);
    result_.fit = std::move(fit);
    return std::move(result_);
  }

  /// Epochs that a search takes if the last candidate is trained for all rounds.
  std::size_t planned() const {
    std::size_t total = 0, alive = 0;
    for (const GfCandidate& candidate : result_.candidates) alive += candidate.trained ? 1 : 0;
    for (std::size_t r = 0; r < max_rounds; ++r, alive = (alive + 1) / 2)
      total += (alive * folds_ + (folds_ > 1 ? 1 : 0)) * epochs_of(state_.alive.front(), r);
    return total;
  }

  /// Lets the run under way report and save as a part of the search.
  void hook(GfOptions& options, std::size_t c, std::size_t part, std::size_t round) {
    options.progress = {};
    options.checkpoint = {};
    if (options_.checkpoint)
      options.checkpoint = [this](const TensorBundle& bundle) {
        state_.run = bundle;
        save();
      };
    if (!options_.progress) return;
    const std::string where =
        part == folds_
            ? concat("training ", result_.candidates[c].name)
            : concat("search round ", round + 1, ", ", state_.alive.size(),
                     state_.alive.size() == 1 ? " candidate left: " : " candidates left: ", result_.candidates[c].name,
                     folds_ > 1 ? concat(", fold ", part + 1) : std::string());
    options.progress = [this, where, epochs = options.epochs, total = planned()](const Progress& p) {
      const double within =
          static_cast<double>(epochs * p.done) / static_cast<double>(std::max<std::size_t>(1, p.total));
      const auto done = std::min(total, done_ + static_cast<std::size_t>(within));
      return options_.progress({done, total, concat(where, "; ", p.message)});
    };
  }

  void save() {
    options_.checkpoint(pack(state_, fingerprint_));
    saved_ = Clock::now();
  }

  /// A round may be shorter than the time between two checkpoints.
  void save_if_due() {
    if (!options_.checkpoint || state_.run) return;
    const double passed = std::chrono::duration<double>(Clock::now() - saved_).count();
    if (options_.checkpoint_epochs > 0 || (options_.checkpoint_seconds > 0 && passed >= options_.checkpoint_seconds))
      save();
  }

  const GfOptions& options_;
  const GfSearchOptions& search_;
  std::vector<Part> parts_;  ///< the folds, and behind several of them the training and validation rows
  std::size_t folds_;
  std::map<std::tuple<std::size_t, bool, bool>, Flow> fronts_;  ///< by part, kernel maps, whitening
  std::string fingerprint_;
  GfSearchState state_;
  GfSearchResult result_;
  GfFit fit_;
  std::size_t done_ = 0;  ///< epochs
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

GfSearchResult resume_search_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
                                const GfSearchOptions& search, const TensorBundle& checkpoint) {
  check_search(x, validation, search);
  const BlasGuard blas;
  return Searcher(x, validation, options, search).resumed(checkpoint);
}

}  // namespace gaussianize
