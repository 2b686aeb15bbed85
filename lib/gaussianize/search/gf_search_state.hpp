#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/flow/tensor_bundle.hpp"
#include "gaussianize/search/gf_search.hpp"

namespace gaussianize {

/// One candidate on one fold.
struct GfSearchSlot {
  GfParameters trained;   ///< best so far; no layers: not begun
  arma::vec log_density;  ///< of the fold's held-out rows
  std::vector<GfEpochReport> epochs;
  double initial_nll = 0.0;  ///< before the first of them
};

/// All that a search carries from one round of training to the next. The folds are followed by one more for the chosen
/// candidate's training on all training rows, if there is more than one fold.
struct GfSearchState {
  std::vector<std::vector<GfSearchSlot>> slots;  ///< [candidate][fold]
  std::vector<std::size_t> alive;                ///< trained candidates that are not dropped, the best first
  std::size_t round = 0;
  std::size_t next = 0;             ///< runs of this round that are done: (candidate in `alive`) · folds + fold
  double last_nll = 0.0;            ///< of the only one left, after the round before
  bool last_run = false;            ///< the chosen one is being trained on all training rows
  std::optional<TensorBundle> run;  ///< of the run under way
};

TensorBundle pack(GfSearchState& state, const std::string& fingerprint);

/// Throws std::invalid_argument if the checkpoint is of another search or contradicts itself.
GfSearchState unpack(const TensorBundle& bundle, const std::string& fingerprint,
                     const std::vector<GfCandidate>& candidates, std::size_t dimension, std::size_t slots);

}  // namespace gaussianize
