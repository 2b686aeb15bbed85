#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gaussianize/io/table.hpp"

namespace gaussianize::detail {

/// The longest first line and the most columns of a text table.
inline constexpr std::size_t longest_first_line = std::size_t{1} << 26;
inline constexpr std::size_t max_text_columns = 1'000'000;

/// Bytes of text that one task reads, whatever the number of threads.
inline constexpr std::size_t csv_chunk = std::size_t{1} << 20;

/// Reads a table of text by the rules of docs/formats.md; options.delimiter 0 is found in the first line. Throws
/// DataError, beginning with `name` and naming line, column, the cell and the fix, for the first fault in the order of
/// the text; std::invalid_argument for a delimiter that is none and for columns that are not there. Time and memory are
/// linear in the text's size. The result, or the message, depends neither on options.threads nor on `chunk`.
Table parse_csv(std::string_view text, const std::string& name, const TableOptions& options = {},
                TableReport* report = nullptr, std::size_t chunk = csv_chunk);

}  // namespace gaussianize::detail
