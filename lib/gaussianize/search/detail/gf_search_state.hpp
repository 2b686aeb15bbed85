#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <armadillo>

#include "gaussianize/flow/checkpoint.hpp"
#include "gaussianize/search/gf_search.hpp"

namespace gaussianize::detail {

/// One candidate on one fold.
struct GfSearchSlot {
  GfParameters trained;                 ///< best so far; no layers before the first round
  arma::vec log_density;                ///< of the fold's held-out rows
  std::vector<GfEpochReport> epochs;    ///< of all rounds
  std::vector<std::size_t> round_ends;  ///< number of epochs done at the end of each round
  double initial_nll = 0.0;             ///< before the first epoch
};

using RunKey = std::pair<std::size_t, std::size_t>;  ///< candidate and part

enum class SearchPhase {
  rounds,        ///< the worse half is dropped after each round
  single_cycle,  ///< candidates that are trained for one long cycle
  final_fit,     ///< the chosen one on all training rows
};

/// The complete state of a search between two rounds of training. After several folds comes one more slot, for the
/// chosen candidate's training on all training rows.
struct GfSearchState {
  std::vector<std::vector<GfSearchSlot>> slots;  ///< [candidate][fold]
  std::vector<std::size_t> remaining;            ///< trained candidates that are not dropped, the best first
  SearchPhase phase = SearchPhase::rounds;
  std::size_t round = 0;
  std::size_t next = 0;               ///< round of the final fit
  double last_nll = 0.0;              ///< of the best one, after the last round
  std::map<RunKey, Checkpoint> runs;  ///< checkpoints of unfinished runs
};

Checkpoint pack(GfSearchState& state, const std::string& fingerprint);

/// Throws std::invalid_argument if the checkpoint is of another search or contradicts itself.
GfSearchState unpack(const Checkpoint& checkpoint, const std::string& fingerprint,
                     const std::vector<GfCandidate>& candidates, std::size_t dimension, std::size_t slots);

/// The optimism, in nats, of the loss of each fold, whose training was stopped at the epoch with the lowest loss of the
/// fold's own held-out rows: the loss at the best epoch of the other folds, less the lowest one. Zeros for a single
/// fold, and if the folds were not all trained for the same number of epochs.
std::vector<double> stopping_optimism(std::span<const GfSearchSlot> folds);

/// The epoch of round `round` (from 0) at which to stop without held-out rows: the median of the folds' best epochs; 0
/// if that is the beginning of the round.
std::size_t stopping_epoch(std::span<const GfSearchSlot> folds, std::size_t round);

}  // namespace gaussianize::detail
