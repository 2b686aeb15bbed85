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

/// Rows to train on, and those that say when to stop and how good it is.
struct SearchPart {
  arma::mat training, held_out;
};

/// What candidates are compared on: the folds of the training rows where validation rows are few, with the training
/// and validation rows themselves behind them, or the latter alone.
std::vector<SearchPart> make_parts(const arma::mat& x, const arma::mat& validation, Seed seed);

/// One round of training of one candidate on one part.
struct SearchRun {
  std::size_t candidate, part, round;
  std::size_t epochs = 0;  ///< > 0: only so many of the round's, the last of them kept
  int threads = 0;
};

/// Trains candidates, several at a time, and keeps what they come to in the state of the search. Reports and saves each
/// as a part of the search.
class SearchRuns {
 public:
  /// The arguments must outlive it.
  SearchRuns(const std::vector<SearchPart>& parts, const std::vector<GfCandidate>& candidates, const GfOptions& options,
             const GfSearchOptions& search, std::string fingerprint, GfSearchState& state);

  std::size_t epochs_of(std::size_t candidate, std::size_t round) const;
  std::vector<std::size_t> trained_in_one_go() const;

  /// The fixed layers of a part, fitted when first asked for.
  const Flow& front(std::size_t part, const GfOptions& options);

  /// Trains those of the list that are not yet trained in this round, some at the same time: small tables and few
  /// columns have too little work in a step for many threads. False if the caller asked to stop.
  bool train_all(const std::vector<std::size_t>& list, std::size_t round);

  /// From where the last round of the candidate on the part stopped. Its front must be fitted. False if the caller
  /// asked to stop.
  bool train(const SearchRun& run);

  bool cancelled() const { return cancelled_; }

  /// Puts what an interrupted run had reached in the place of the last whole round.
  void take_interrupted(std::size_t candidate, std::size_t part);

 private:
  using Clock = std::chrono::steady_clock;
  using FrontKey = std::tuple<std::size_t, bool, bool>;  ///< part, kernel maps, whitening

  static FrontKey front_key(std::size_t part, const GfOptions& options);
  std::optional<Checkpoint> take_up(const SearchRun& run);
  bool put_down(const SearchRun& run, GfSearchSlot slot, bool cancelled);
  std::size_t planned() const;
  std::string describe(const SearchRun& run) const;
  void hook(GfOptions& options, const SearchRun& run);
  void save();
  void save_if_due();

  const std::vector<SearchPart>& parts_;
  const std::vector<GfCandidate>& candidates_;
  const GfOptions& options_;
  const GfSearchOptions& search_;
  std::string fingerprint_;
  GfSearchState& state_;
  std::size_t folds_;
  std::map<FrontKey, Flow> fronts_;
  // Runs that are trained at the same time share what follows, and the state.
  std::mutex mutex_;
  std::atomic<bool> cancelled_ = false;
  std::map<RunKey, GfSearchSlot> interrupted_;
  std::map<RunKey, std::size_t> under_way_;  ///< epochs
  std::size_t done_ = 0;                     ///< epochs of runs that are done
  Clock::time_point saved_ = Clock::now();
};

}  // namespace gaussianize::detail
