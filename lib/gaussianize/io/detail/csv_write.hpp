#pragma once

#include <string>

#include "gaussianize/io/table.hpp"

namespace gaussianize::detail {

/// The table as lines of text that end in LF: the names, if there are any, quoted where they must be; then a line a
/// row, each number in the fewest digits that read back to the same bits. What is not finite becomes nan, inf or -inf.
/// Requires no names or one per column.
std::string format_csv(const Table& table, char delimiter = ',');

}  // namespace gaussianize::detail
