#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gaussianize/io/table.hpp"

namespace gaussianize::detail {

/// Bytes of text that one task reads, whatever the number of threads.
inline constexpr std::size_t csv_chunk = std::size_t{1} << 20;

/// Reads a table of text by the rules of docs/formats.md; options.delimiter 0 is found in the first line. Throws
/// DataError, beginning with `name` and naming line, column, the cell and the fix, for the first error in the order of
/// the text; std::invalid_argument for a delimiter that cannot be one and for columns that do not exist. Time and
/// memory are linear in the text's size. The result, or the message, depends neither on options.threads nor on `chunk`.
Table parse_csv(std::string_view text, const std::string& name, const TableOptions& options = {},
                TableReport* report = nullptr, std::size_t chunk = csv_chunk);

/// The table as lines of text that end in LF: the names, if there are any, quoted where they must be; then one line per
/// row, each number in the fewest digits that read back to the same bits. What is not finite becomes nan, inf or -inf.
/// Requires no names or one per column.
std::string format_csv(const Table& table, char delimiter = ',');

}  // namespace gaussianize::detail
