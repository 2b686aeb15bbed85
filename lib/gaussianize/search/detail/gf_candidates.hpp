#pragma once

#include <cstddef>
#include <vector>

#include "gaussianize/search/gf_search.hpp"

namespace gaussianize::detail {

/// Steps of a candidate's first round, before they are made whole epochs.
inline constexpr double first_round_steps = 400;
/// Rounds of the one that is left, if each lowers its loss. A cycle in one go is as long as all of them.
inline constexpr std::size_t max_rounds = 5;

/// What a search in `folds` folds tries for `rows` training rows: fixed layers first, then trained ones in the order in
/// which they are left out if a first round of all would be too much work. In one go there are two starts with a single
/// fold; with several, which are so many times the work, one.
std::vector<GfCandidate> gf_candidates(const GfOptions& options, const GfSearchOptions& search, std::size_t rows,
                                       std::size_t dimension, std::size_t folds = 1);

/// Epochs of round `round` (from 0).
std::size_t round_epochs(const GfCandidate& candidate, const GfSearchOptions& search, std::size_t rows,
                         std::size_t round);

}  // namespace gaussianize::detail
