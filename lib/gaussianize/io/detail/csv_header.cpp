#include "gaussianize/io/detail/csv_header.hpp"

#include <algorithm>
#include <unordered_map>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/column_selection.hpp"
#include "gaussianize/io/detail/csv.hpp"
#include "gaussianize/io/detail/decimal.hpp"
#include "gaussianize/io/detail/json_text.hpp"

namespace gaussianize::detail {
namespace {

bool is_number(std::string_view cell) {
  cell = trimmed(cell);
  double value = 0.0;
  return !cell.empty() && parse_decimal(cell.data(), cell.data() + cell.size(), value) == cell.data() + cell.size();
}

/// The cells of the first line, and where it ends.
struct FirstLine {
  std::vector<CsvCell> cells;
  const char* end = nullptr;
};

FirstLine scan_line(std::string_view text, const CsvFormat& format) {
  FirstLine line;
  const char* p = text.data();
  const char* const end = p + text.size();
  for (;;) {
    line.cells.push_back(scan_cell(p, end, format));
    p = line.cells.back().next;
    if (format.by_blanks()) p = format.skip_blanks(p, end);
    if (at_line_end(p, end)) break;
    if (!format.by_blanks()) ++p;
    if (line.cells.size() == max_text_columns)
      throw CsvProblem{p, {}, concat("the line has more than ", max_text_columns, " cells; transpose the table")};
  }
  if (static_cast<std::size_t>(p - text.data()) > longest_first_line)
    throw CsvProblem{text.data(),
                     {},
                     concat("the line is ", p - text.data(), " bytes long, and none may be longer than ",
                            longest_first_line, "; end lines with LF or CR LF")};
  line.end = p;
  return line;
}

/// What to do about a first line of numbers and words: another delimiter than the one in use often stands behind it.
std::string_view mixed_line_fix(const FirstLine& line, char delimiter) {
  for (const CsvCell& cell : line.cells) {
    if (cell.quoted) continue;
    if (delimiter != ';' && cell.text.find(';') != std::string_view::npos)
      return "it holds ';': if that separates the cells, set the delimiter to ';'";
    if (delimiter != '\t' && cell.text.find('\t') != std::string_view::npos)
      return "it holds tabs: if they separate the cells, set the delimiter to tab";
  }
  return "say which it is";
}

bool holds_names(const FirstLine& line, char delimiter) {
  const CsvCell* number = nullptr;
  const CsvCell* word = nullptr;
  for (const CsvCell& cell : line.cells) {
    if (is_number(cell.text)) {
      if (number == nullptr) number = &cell;
    } else if (!is_missing(trimmed(cell.text)) && word == nullptr) {
      word = &cell;
    }
  }
  if (number != nullptr && word != nullptr)
    throw CsvProblem{line.cells.front().next,
                     {},
                     concat("this may be a header or not: ", in_quotes(number->text), " is a number and ",
                            in_quotes(word->text), " is none; ", mixed_line_fix(line, delimiter))};
  return word != nullptr;
}

}  // namespace

bool is_delimiter(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return c == '\t' ||
         (c >= ' ' && c <= '~' && !letter && !(c >= '0' && c <= '9') && c != '.' && c != '+' && c != '-' && c != '"');
}

char find_delimiter(std::string_view text) {
  bool inside = false, tab = false, semicolon = false, comma = false;
  for (const char c : text) {
    if (c == '"') inside = !inside;
    if (inside) continue;
    if (c == '\n') break;
    tab = tab || c == '\t';
    semicolon = semicolon || c == ';';
    comma = comma || c == ',';
  }
  return tab ? '\t' : semicolon ? ';' : comma ? ',' : ' ';
}

CsvHeader parse_header(std::string_view text, const CsvFormat& format, std::optional<bool> header) {
  const char* const end = text.data() + text.size();
  if (at_line_end(format.skip_blanks(text.data(), end), end))
    throw CsvProblem{text.data(), {}, "the first line is blank; remove it"};
  const FirstLine line = scan_line(text, format);
  CsvHeader result;
  result.width = line.cells.size();
  if (!header.value_or(false) && (header.has_value() || !holds_names(line, format.delimiter))) return result;
  for (const CsvCell& cell : line.cells) result.names.push_back(unquoted(cell));
  result.length = static_cast<std::size_t>(next_line(line.end, end) - text.data());
  return result;
}

void check_names(const CsvHeader& header, const std::vector<std::size_t>& columns, const std::string& file) {
  if (header.names.empty()) return;
  const auto fail = [&](const auto&... parts) { throw DataError(concat(file, ": the header: ", parts...)); };
  std::unordered_map<std::string_view, std::size_t> seen;
  for (const std::size_t column : columns) {
    const std::string& name = header.names[column];
    if (name.empty())
      fail("column ", column, " (counted from 0) has no name; ",
           column > 0 && column + 1 == header.names.size() ? "remove the delimiter that ends the lines, " : "",
           "name it, or leave it out");
    const auto [place, fresh] = seen.emplace(name, column);
    if (!fresh)
      fail("columns ", place->second, " and ", column, " (counted from 0) are both named ", in_quotes(name),
           "; rename one, or leave it out");
    try {
      json_quote(name, "the name");
    } catch (const std::invalid_argument&) {
      fail("the name of column ", column,
           " (counted from 0) is not UTF-8; convert the file (iconv -f LATIN1 -t UTF-8)");
    }
  }
}

}  // namespace gaussianize::detail
