#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gaussianize::detail {

/// Cuts lines into pieces of about `chunk` bytes, in order, each of whole lines: a line feed between quotes ends none.
/// Where quotes are misused, the lines up to the first misuse are still cut rightly. Linear in the size of the text.
std::vector<std::string_view> cut_into_chunks(std::string_view lines, std::size_t chunk, int threads);

}  // namespace gaussianize::detail
