#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <armadillo>

#include "gaussianize/flow/checkpoint.hpp"
#include "gaussianize/search/gf_search.hpp"

namespace gaussianize::detail {

/// One candidate on one fold.
struct GfSearchSlot {
  GfParameters trained;                 ///< best so far; no layers: not begun
  arma::vec log_density;                ///< of the fold's held-out rows
  std::vector<GfEpochReport> epochs;    ///< of all rounds
  std::vector<std::size_t> round_ends;  ///< how many of them were done when each round ended
  double initial_nll = 0.0;             ///< before the first of them
};

using RunKey = std::pair<std::size_t, std::size_t>;  ///< candidate and part

enum class SearchPhase {
  rounds,     ///< the worse half is dropped after each
  in_one_go,  ///< candidates that are trained for one long cycle
  last,       ///< the chosen one on all training rows
};

/// All that a search carries from one round of training to the next. The folds are followed by one more for the chosen
/// candidate's training on all training rows, if there is more than one fold.
struct GfSearchState {
  std::vector<std::vector<GfSearchSlot>> slots;  ///< [candidate][fold]
  std::vector<std::size_t> alive;                ///< trained candidates that are not dropped, the best first
  SearchPhase phase = SearchPhase::rounds;
  std::size_t round = 0;
  std::size_t next = 0;               ///< round of the last training
  double last_nll = 0.0;              ///< of the best one, after the round before
  std::map<RunKey, Checkpoint> runs;  ///< checkpoints of those under way
};

Checkpoint pack(GfSearchState& state, const std::string& fingerprint);

/// Throws std::invalid_argument if the checkpoint is of another search or contradicts itself.
GfSearchState unpack(const Checkpoint& checkpoint, const std::string& fingerprint,
                     const std::vector<GfCandidate>& candidates, std::size_t dimension, std::size_t slots);

}  // namespace gaussianize::detail
