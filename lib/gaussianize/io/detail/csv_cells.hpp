#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gaussianize::detail {

/// The text without spaces and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// A fault at one place of a text, thrown to whoever knows the file's and the columns' names.
struct CsvProblem {
  const char* where;
  std::optional<std::size_t> column;
  std::string what;
};

/// How cells of a line are told apart.
struct CsvFormat {
  char delimiter = ',';  ///< ' ' stands for any run of spaces and tabs

  bool by_blanks() const { return delimiter == ' '; }
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && delimiter != '\t'); }
  const char* skip_blanks(const char* p, const char* end) const {
    while (p != end && is_blank(*p)) ++p;
    return p;
  }
};

/// Whether a line ends at p: at LF, CR LF or the end of the text.
inline bool at_line_end(const char* p, const char* end) {
  return p == end || *p == '\n' || (*p == '\r' && p + 1 != end && p[1] == '\n');
}

/// The start of the next line. Requires at_line_end(p, end).
inline const char* next_line(const char* p, const char* end) {
  if (p == end) return end;
  return p + (*p == '\n' ? 1 : 2);
}

struct CsvCell {
  std::string_view text;       ///< without blanks around it; of a quoted cell what is between the quotes, as it stands
  bool quoted = false;         ///< then a quote in the text is doubled
  const char* next = nullptr;  ///< the delimiter or the line's end
};

/// The cell that begins at p, blanks in front of it included. Throws CsvProblem, without column, for a quote that does
/// not end or stands inside a cell, and for a carriage return without line feed.
CsvCell scan_cell(const char* p, const char* end, const CsvFormat& format);

/// What the cell says, doubled quotes undone.
std::string unquoted(const CsvCell& cell);

/// Whether the cell says that there is no number: empty, NA, N/A, #N/A, null, none, ?, and nan and inf, in any case.
bool is_missing(std::string_view cell);

/// What is wrong with a cell that holds no number, and how to mend it, as far as it can be guessed.
std::string cell_problem(std::string_view cell, const CsvFormat& format);

}  // namespace gaussianize::detail
