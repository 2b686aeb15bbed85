#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/io/table.hpp"

namespace gaussianize::detail {

/// The text without spaces and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// An error at one position of a text; the catcher adds the names of file and column.
struct CsvProblem {
  const char* where;
  std::optional<std::size_t> column;
  std::string what;
};

/// How the cells of a line are separated.
struct CsvFormat {
  char delimiter = ',';  ///< ' ' stands for any run of spaces and tabs

  bool by_blanks() const { return delimiter == ' '; }
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter != '\t'); }
  const char* skip_blanks(const char* p, const char* end) const {
    while (p != end && is_blank(*p)) ++p;
    return p;
  }
};

/// The longest first line and the most columns of a text table.
inline constexpr std::size_t max_first_line = std::size_t{1} << 26;
inline constexpr std::size_t max_text_columns = 1'000'000;

/// The first line of a text.
struct CsvHeader {
  std::size_t width = 0;           ///< columns
  std::vector<std::string> names;  ///< of all of them; empty if the first line holds numbers
  std::size_t length = 0;          ///< bytes up to the first line of numbers
};

/// Reads the first line. Unless `header` decides, it holds names if none of its cells is a number, and numbers if all
/// are that are not missing. Throws CsvProblem for a line of both, and for one too long, too wide, or blank.
CsvHeader parse_header(std::string_view text, const CsvFormat& format, std::optional<bool> header);

/// Marks a column that is not selected.
inline constexpr std::size_t skipped_column = std::numeric_limits<std::size_t>::max();

/// How lines become rows of numbers.
struct CsvLayout {
  CsvFormat format;
  std::vector<std::size_t> target;  ///< for each column of the text its position in a row, or skipped_column
  std::size_t selected = 0;         ///< numbers in a row
  Missing missing = Missing::error;
  std::size_t max_rows = 0;  ///< stop after this many; 0: no limit
  std::string ragged_hint;   ///< how to fix a line whose number of cells differs from the first line's
};

/// The rows of some lines, row by row, up to the end or the first problem.
struct CsvRows {
  std::vector<double> values;
  std::size_t rows = 0;
  std::vector<std::size_t> dropped;  ///< for each row that was dropped, the number of those kept before it
  std::optional<CsvProblem> problem;
};

/// Reads whole lines. A blank line is a row in which every cell is missing. Columns that are not selected may hold any
/// text.
CsvRows parse_rows(std::string_view lines, const CsvLayout& layout);

}  // namespace gaussianize::detail
