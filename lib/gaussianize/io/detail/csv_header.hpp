#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/io/detail/csv_cells.hpp"

namespace gaussianize::detail {

/// What the first line of a text tells.
struct CsvHeader {
  std::size_t width = 0;           ///< columns
  std::vector<std::string> names;  ///< of all of them; empty if the first line holds numbers
  std::size_t length = 0;          ///< bytes up to the first line of numbers
};

/// Whether the character can separate cells.
bool is_delimiter(char c);

/// The first of tab, semicolon and comma that the first line holds outside quotes, else a space.
char find_delimiter(std::string_view text);

/// Reads the first line. Unless `header` says what it is, it holds names if none of its cells is a number, and numbers
/// if all are that are not missing. Throws CsvProblem for a line of both, and for one too long, too wide, or blank.
CsvHeader parse_header(std::string_view text, const CsvFormat& format, std::optional<bool> header);

/// Throws DataError, beginning with `file`, if one of the columns to be read has no name, that of another, or one that
/// is not UTF-8.
void check_names(const CsvHeader& header, const std::vector<std::size_t>& columns, const std::string& file);

}  // namespace gaussianize::detail
