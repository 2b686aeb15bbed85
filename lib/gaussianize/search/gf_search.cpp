#include "gaussianize/search/gf_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/data/split.hpp"
#include "gaussianize/gf/detail/resolve_options.hpp"
#include "gaussianize/gf/detail/trainer_state.hpp"
#include "gaussianize/search/detail/gf_candidates.hpp"
#include "gaussianize/search/detail/gf_search_state.hpp"
#include "gaussianize/search/detail/search_runs.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// A round that lowers the held-out loss by less than this, in nats, is the last.
constexpr double min_gain = 0.003;
/// Standard errors by which the best candidate must be better than the Gaussian (the best of a dozen often is by
/// chance) and than the Gaussian copula.
constexpr double gaussian_errors = 2.0;
constexpr double copula_errors = 1.0;

/// Identifies the search that a checkpoint belongs to.
std::string search_fingerprint(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
                               const GfSearchOptions& search) {
  const auto choice = [](const std::optional<bool>& value) { return value ? static_cast<int>(*value) : -1; };
  return concat(fingerprint(x, validation, resolve(options, x.n_rows, x.n_cols)), " search ", search.effort, " given ",
                options.layers, " ", options.anchors, " ", options.epochs, " ", choice(search.marginal_layer), " ",
                choice(search.whitening_layer), " ", choice(search.from_rbig));
}

class Searcher {
 public:
  Searcher(const arma::mat& x, const arma::mat& validation, const GfOptions& options, const GfSearchOptions& search)
      : options_(options),
        parts_(make_parts(x, validation, options.seed)),
        folds_(parts_.size() > 1 ? parts_.size() - 1 : 1),
        fingerprint_(search_fingerprint(x, validation, options, search)),
        runs_(parts_, result_.candidates, options, search, fingerprint_, state_) {
    result_.candidates = gf_candidates(options, search, parts_.front().training.n_rows, x.n_cols, folds_);
    result_.folds = folds_;
    for (std::size_t f = 0; f < folds_; ++f) result_.evaluation_rows += parts_[f].held_out.n_rows;
  }

  GfSearchResult fresh() {
    for (std::size_t c = 0; c < result_.candidates.size(); ++c) {
      state_.slots.emplace_back(parts_.size());
      if (!result_.candidates[c].trained)
        score_fixed(c);
      else if (!result_.candidates[c].single_cycle)
        state_.remaining.push_back(c);
    }
    state_.last_nll = std::numeric_limits<double>::infinity();
    return run();
  }

  GfSearchResult resumed(const Checkpoint& checkpoint) {
    state_ = unpack(checkpoint, fingerprint_, result_.candidates, parts_.front().training.n_cols, parts_.size());
    return run();
  }

 private:
  GfSearchResult run() {
    while (state_.phase == SearchPhase::rounds) {
      if (!runs_.train_all(state_.remaining, state_.round)) return finish_interrupted(state_.remaining.front(), 0);
      if (end_round())
        ++state_.round;
      else
        state_.phase = SearchPhase::single_cycle;
    }
    if (state_.phase == SearchPhase::single_cycle) {
      if (!runs_.train_all(runs_.single_cycle_candidates(), 0))
        return finish_interrupted(runs_.single_cycle_candidates().front(), 0);
      state_.phase = SearchPhase::final_fit;
    }
    const std::size_t winner = choose();
    if (!result_.candidates[winner].trained) return finish_fixed(winner);
    if (folds_ == 1) return finish(winner, 0);
    const std::span<const GfSearchSlot> folds(state_.slots[winner].data(), folds_);
    runs_.fixed_layers(folds_, result_.candidates[winner].options);
    while (state_.next < folds.front().round_ends.size()) {
      // There are too few validation rows to choose the epoch. A first step away from the start is always taken.
      const std::size_t epochs = std::max<std::size_t>(state_.next == 0 ? 1 : 0, stopping_epoch(folds, state_.next));
      if (epochs == 0)
        ++state_.next;
      else if (!runs_.train({winner, folds_, state_.next, epochs, options_.threads}))
        return finish_interrupted(winner, folds_);
    }
    return finish(winner, folds_);
  }

  void score_fixed(std::size_t c) {
    for (std::size_t f = 0; f < folds_; ++f) {
      state_.slots[c][f].log_density = log_density(runs_.fixed_layers(f, result_.candidates[c].options),
                                                   parts_[f].held_out, {.threads = options_.threads});
    }
  }

  /// Drops the worse half. False if the last one no longer improves.
  bool end_round() {
    std::stable_sort(state_.remaining.begin(), state_.remaining.end(),
                     [&](std::size_t a, std::size_t b) { return held_out_nll(a).value < held_out_nll(b).value; });
    const std::size_t remaining = state_.remaining.size();
    const double nll = held_out_nll(state_.remaining.front()).value;
    const double gain = std::exchange(state_.last_nll, nll) - nll;
    state_.remaining.resize((remaining + 1) / 2);
    if (remaining > 1) return true;
    const bool whole =
        options_.epochs > 0 && runs_.epochs_of(state_.remaining.front(), state_.round) >= options_.epochs;
    return gain >= min_gain && state_.round + 1 < max_rounds && !whole;
  }

  /// log p of the held-out rows, less the optimism of stopping at their own best epoch.
  arma::vec held_out(std::size_t c) const {
    const std::span<const GfSearchSlot> folds(state_.slots[c].data(), folds_);
    const std::vector<double> optimism = stopping_optimism(folds);
    arma::vec all;
    for (std::size_t f = 0; f < folds_; ++f) all = arma::join_cols(all, folds[f].log_density - optimism[f]);
    return all;
  }
  Estimate held_out_nll(std::size_t c) const { return mean_estimate(-held_out(c)); }

  /// The best of those that remain, or the simplest one without trained layers that is not clearly worse.
  std::size_t choose() {
    std::size_t best = state_.remaining.front();
    for (std::size_t c = 0; c < result_.candidates.size(); ++c) {
      const GfCandidate& candidate = result_.candidates[c];
      if ((!candidate.trained || candidate.single_cycle) && held_out_nll(c).value < held_out_nll(best).value) best = c;
    }
    for (std::size_t c = 0; c < result_.candidates.size(); ++c) {
      if (result_.candidates[c].trained) continue;
      const Estimate loss = mean_estimate(held_out(best) - held_out(c));
      const double errors = result_.candidates[c].options.marginal_layer ? copula_errors : gaussian_errors;
      if (loss.value <= errors * loss.standard_error) return c;
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

  /// The result of a search that was stopped: a candidate as it is then.
  GfSearchResult finish_interrupted(std::size_t candidate, std::size_t part) {
    runs_.keep_interrupted(candidate, part);
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
    fit.flow = runs_.fixed_layers(part, fit.options);
    for (Layer& layer : to_layers(slot.trained)) fit.flow.layers.push_back(std::move(layer));
    fit.trained = slot.trained;
    fit.epochs = slot.epochs;
    fit.parameters = parameter_count(slot.trained);
    // After folds, training stops at their best epoch, even within a cycle.
    const bool all_rounds =
        part != folds_ && (slot.round_ends.size() == max_rounds || result_.candidates[winner].single_cycle);
    fit.stop_reason = runs_.cancelled() ? GfStop::cancelled : all_rounds ? GfStop::epochs : GfStop::patience;
    return finish(winner, part, std::move(fit), slot.initial_nll);
  }

  GfSearchResult finish_fixed(std::size_t winner) {
    GfFit fit;
    fit.options = result_.candidates[winner].options;
    fit.options.layers = 0;
    fit.flow = runs_.fixed_layers(parts_.size() - 1, fit.options);
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

  const GfOptions& options_;
  std::vector<SearchPart> parts_;  ///< the folds, and after several of them the training and validation rows
  std::size_t folds_;
  std::string fingerprint_;
  GfSearchState state_;
  GfSearchResult result_;
  SearchRuns runs_;
};

void check_search(const arma::mat& x, const arma::mat& validation, const GfSearchOptions& search) {
  require(validation.n_rows > 0,
          "search_gf: there are no validation rows to compare candidates; pass some, or use fit_gf");
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
  require(options.validation_fraction >= 0 && options.validation_fraction < 1, "GfOptions::validation_fraction is ",
          options.validation_fraction, "; it must lie in [0, 1)");
  const double share = std::max(options.validation_fraction, 1 / static_cast<double>(x.n_rows));
  const SplitRows rows = split_rows(x.n_rows, {1 - share, share, 0.0}, options.seed);
  return search_gf(x.rows(rows.train), x.rows(rows.validation), options, search);
}

GfSearchResult resume_search_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
                                const GfSearchOptions& search, const Checkpoint& checkpoint) {
  check_search(x, validation, search);
  const BlasGuard blas;
  return Searcher(x, validation, options, search).resumed(checkpoint);
}

}  // namespace gaussianize
