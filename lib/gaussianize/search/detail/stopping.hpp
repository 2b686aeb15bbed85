#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gaussianize/search/detail/gf_search_state.hpp"

namespace gaussianize::detail {

/// How much too low, in nats, the loss of each fold is because its training was stopped where the fold's own held-out
/// rows like it best: the loss at the epoch that the other folds prefer, less the lowest one. Zeros for a single fold,
/// and where training stopped at another epoch in some fold.
std::vector<double> stopping_optimism(std::span<const GfSearchSlot> folds);

/// The epoch of round `round` (from 0) at which to stop when no held-out rows can say so: the median of what the folds
/// preferred; 0 if that is where the round began.
std::size_t stopping_epoch(std::span<const GfSearchSlot> folds, std::size_t round);

}  // namespace gaussianize::detail
