#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <armadillo>

#include "gaussianize/search/detail/gf_search_state.hpp"
#include "gaussianize/search/gf_search.hpp"

namespace gaussianize::detail {

/// Training rows, and the held-out rows that choose the epoch and compare candidates.
struct SearchPart {
  arma::mat training, held_out;
};

/// The parts that candidates are compared on: the folds of the training rows if there are few validation rows, followed
/// by the training and validation rows themselves; otherwise only the latter.
std::vector<SearchPart> make_parts(const arma::mat& x, const arma::mat& validation, Seed seed);

/// One round of training of one candidate on one part.
struct SearchRun {
  std::size_t candidate, part, round;
  std::size_t epochs = 0;  ///< > 0: only this many of the round's, of which the last is kept
  int threads = 0;
};

/// Trains candidates, several at a time, and stores the results in the state of the search. Progress and checkpoints of
/// each are passed on as those of the search.
class SearchRuns {
 public:
  /// The arguments must outlive it.
  SearchRuns(const std::vector<SearchPart>& parts, const std::vector<GfCandidate>& candidates, const GfOptions& options,
             const GfSearchOptions& search, std::string fingerprint, GfSearchState& state);

  std::size_t epochs_of(std::size_t candidate, std::size_t round) const;
  std::vector<std::size_t> single_cycle_candidates() const;

  /// The fixed layers of a part, fitted when first asked for.
  const Flow& fixed_layers(std::size_t part, const GfOptions& options);

  /// Trains those of the list that are not yet trained in this round, several at the same time: with few rows or
  /// columns a step is too little work for many threads. False if the caller asked to stop.
  bool train_all(const std::vector<std::size_t>& list, std::size_t round);

  /// Continues from the last round of the candidate on the part, whose fixed layers must be fitted. False if the caller
  /// asked to stop.
  bool train(const SearchRun& run);

  bool cancelled() const { return cancelled_; }

  /// Replaces the result of the last complete round by that of an interrupted run.
  void keep_interrupted(std::size_t candidate, std::size_t part);

 private:
  using Clock = std::chrono::steady_clock;
  using FixedLayersKey = std::tuple<std::size_t, bool, bool>;  ///< part, kernel maps, whitening

  static FixedLayersKey fixed_layers_key(std::size_t part, const GfOptions& options);
  std::optional<Checkpoint> saved_run(const SearchRun& run);
  bool store_result(const SearchRun& run, GfSearchSlot slot, bool cancelled);
  std::size_t planned_epochs() const;
  std::string describe(const SearchRun& run) const;
  void attach_callbacks(GfOptions& options, const SearchRun& run);
  void save();
  void save_if_due();

  const std::vector<SearchPart>& parts_;
  const std::vector<GfCandidate>& candidates_;
  const GfOptions& options_;
  const GfSearchOptions& search_;
  std::string fingerprint_;
  GfSearchState& state_;
  std::size_t folds_;
  std::map<FixedLayersKey, Flow> fixed_layers_;
  // Shared by runs that are trained at the same time, as is the state.
  std::mutex mutex_;
  std::atomic<bool> cancelled_ = false;
  std::map<RunKey, GfSearchSlot> interrupted_;
  std::map<RunKey, std::size_t> running_;  ///< epochs
  std::size_t done_ = 0;                   ///< epochs of runs that are done
  Clock::time_point saved_ = Clock::now();
};

}  // namespace gaussianize::detail
