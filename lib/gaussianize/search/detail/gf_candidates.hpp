#pragma once

#include <cstddef>
#include <vector>

#include "gaussianize/search/gf_search.hpp"

namespace gaussianize::detail {

/// Steps of a candidate's first round, before they are made whole epochs.
inline constexpr double first_round_steps = 400;
/// Rounds of the last candidate, if each lowers its loss. A single cycle is as long as all of them.
inline constexpr std::size_t max_rounds = 5;

/// The candidates of a search in `folds` folds for `rows` training rows: fixed layers first, then trained ones, the
/// last of which are left out if a first round of all would be too much work. Single-cycle candidates come last: two
/// starts with one fold, one start with several folds, which multiply the work.
std::vector<GfCandidate> gf_candidates(const GfOptions& options, const GfSearchOptions& search, std::size_t rows,
                                       std::size_t dimension, std::size_t folds = 1);

/// Epochs of round `round` (from 0).
std::size_t round_epochs(const GfCandidate& candidate, const GfSearchOptions& search, std::size_t rows,
                         std::size_t round);

}  // namespace gaussianize::detail
