#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#pragma GCC visibility push(default)
namespace gaussianize {

/// The least number of letters to insert, delete, replace or swap with their neighbour, no letter touched
/// twice, that turns `a` into `b`. O(|a|·|b|).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that `word` was probably meant to be: the nearest, the first of them on a tie, unless more
/// than half of its letters would have to change.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace gaussianize
#pragma GCC visibility pop
