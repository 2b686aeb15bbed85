#include "gaussianize/io/detail/csv_lines.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/decimal.hpp"
#include "gaussianize/io/detail/json_text.hpp"

namespace gaussianize::detail {
namespace {

/// Whether a line ends at p: at LF, CR LF or the end of the text.
bool at_line_end(const char* p, const char* end) {
  return p == end || *p == '\n' || (*p == '\r' && p + 1 != end && p[1] == '\n');
}

/// The start of the next line. Requires at_line_end(p, end).
const char* next_line(const char* p, const char* end) {
  if (p == end) return end;
  return p + (*p == '\n' ? 1 : 2);
}

struct CsvCell {
  std::string_view text;       ///< without blanks around it; of a quoted cell the text between the quotes, unchanged
  bool quoted = false;         ///< then a quote in the text is doubled
  const char* next = nullptr;  ///< the delimiter or the line's end
};

bool ends_cell(const char* p, const char* end, const CsvFormat& format) {
  return at_line_end(p, end) || *p == format.delimiter || (format.by_blanks() && format.is_blank(*p));
}

CsvCell scan_quoted(const char* p, const char* end, const CsvFormat& format) {
  const char* const begin = p + 1;
  const char* close = begin;
  for (;; close += 2) {
    close = std::find(close, end, '"');
    if (close == end) throw CsvProblem{p, {}, "a quote begins here and does not end; close or remove it"};
    if (close + 1 == end || close[1] != '"') break;
  }
  const char* const next = format.by_blanks() ? close + 1 : format.skip_blanks(close + 1, end);
  if (!ends_cell(next, end, format))
    throw CsvProblem{next, {}, "text follows a closing quote; quote the whole cell and double the quotes inside it"};
  return {{begin, static_cast<std::size_t>(close - begin)}, true, next};
}

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, {}, [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
}

/// Digits, then a comma, then digits, with a sign perhaps.
bool has_decimal_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  return comma != std::string_view::npos && cell.find_first_not_of("+-0123456789,eE") == std::string_view::npos &&
         cell.find_first_of("0123456789") != std::string_view::npos;
}

std::string_view hint(std::string_view cell, const CsvFormat& format) {
  const auto holds = [&](std::string_view part) { return cell.find(part) != std::string_view::npos; };
  if (holds("\u2212") || holds("\u2013"))
    return "it has a typographic minus; replace it by the hyphen-minus '-' of the keyboard";
  if (holds("\u00A0") || holds("\u202F")) return "it holds a no-break space; remove it";
  if (has_decimal_comma(cell)) return "numbers take a decimal point and no thousands separator; write 1.5, not 1,5";
  if (cell.size() > 1 && cell[0] == '0' && (cell[1] == 'x' || cell[1] == 'X')) return "write it in decimal digits";
  if (holds("\t")) return "it holds a tab; if tabs separate the cells, set the delimiter to tab";
  if (holds(";")) return "it holds a semicolon; if semicolons separate the cells, set the delimiter to ';'";
  if (holds(",")) return "it holds a comma; if commas separate the cells, set the delimiter to ','";
  if (!format.by_blanks() && holds(" ") && cell.find_first_not_of("+-0123456789.eE \t") == std::string_view::npos)
    return "it holds spaces; if spaces separate the cells, set the delimiter to ' '";
  return "correct it, or leave the column out";
}

/// The cell that begins at p, blanks in front of it included. Throws CsvProblem, without column, for a quote that does
/// not end or stands inside a cell, and for a carriage return without line feed.
CsvCell scan_cell(const char* p, const char* end, const CsvFormat& format) {
  p = format.skip_blanks(p, end);
  if (p != end && *p == '"') return scan_quoted(p, end, format);
  const char* q = p;
  for (; !ends_cell(q, end, format); ++q) {
    if (*q == '"')
      throw CsvProblem{q, {}, "a quote stands inside a cell; quote the whole cell and double the quotes inside it"};
    if (*q == '\r')
      throw CsvProblem{
          q, {}, "a carriage return has no line feed; end lines with LF or CR LF (tr '\\r' '\\n' converts)"};
  }
  return {trimmed({p, static_cast<std::size_t>(q - p)}), false, q};
}

/// The text of the cell, with doubled quotes replaced by single ones.
std::string unquoted(const CsvCell& cell) {
  std::string text;
  for (std::size_t i = 0; i < cell.text.size(); ++i) {
    text += cell.text[i];
    if (cell.quoted && cell.text[i] == '"') ++i;
  }
  return text;
}

/// Whether the cell stands for a missing number: empty, NA, N/A, #N/A, null, none, ?, nan or inf, in any case.
bool is_missing(std::string_view cell) {
  static constexpr std::array plain{"", "na", "n/a", "#n/a", "null", "none", "?"};
  static constexpr std::array perhaps_signed{"nan", "inf", "infinity"};
  const auto is = [](std::string_view text) {
    return [text](const char* token) { return equal_ignoring_case(text, token); };
  };
  const bool sign = !cell.empty() && (cell[0] == '+' || cell[0] == '-');
  return std::ranges::any_of(plain, is(cell)) || std::ranges::any_of(perhaps_signed, is(cell.substr(sign ? 1 : 0)));
}

/// What is wrong with a cell that holds no number, and the most likely fix.
std::string cell_problem(std::string_view cell, const CsvFormat& format) {
  return concat(in_quotes(cell), " is not a number; ", hint(cell, format));
}

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
  if (static_cast<std::size_t>(p - text.data()) > max_first_line)
    throw CsvProblem{text.data(),
                     {},
                     concat("the line is ", p - text.data(), " bytes long, and none may be longer than ",
                            max_first_line, "; end lines with LF or CR LF")};
  line.end = p;
  return line;
}

/// How to fix a first line of numbers and other text: often the file has another delimiter than the one in use.
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
  const CsvCell* other = nullptr;
  for (const CsvCell& cell : line.cells) {
    if (is_number(cell.text)) {
      if (number == nullptr) number = &cell;
    } else if (!is_missing(trimmed(cell.text)) && other == nullptr) {
      other = &cell;
    }
  }
  if (number != nullptr && other != nullptr)
    throw CsvProblem{line.cells.front().next,
                     {},
                     concat("this may be a header or a row: ", in_quotes(number->text), " is a number and ",
                            in_quotes(other->text), " is not; ", mixed_line_fix(line, delimiter))};
  return other != nullptr;
}

class RowParser {
 public:
  RowParser(std::string_view lines, const CsvLayout& layout)
      : layout_(layout), format_(layout.format), p_(lines.data()), end_(lines.data() + lines.size()) {}

  bool at_end() const { return p_ == end_; }

  /// Reads the next line into `row`; false if the row is to be dropped.
  bool parse(double* row) {
    const char* const begin = p_;
    p_ = format_.skip_blanks(p_, end_);
    if (at_line_end(p_, end_)) {
      if (layout_.missing == Missing::error)
        throw CsvProblem{begin, {}, "the line is blank; remove it, or drop such lines"};
      p_ = next_line(p_, end_);
      return false;
    }
    complete_ = true;
    const std::size_t width = layout_.target.size();
    std::size_t column = 0;
    while (parse_cell(column, row)) ++column;
    if (++column != width) fail_ragged(begin, column);
    p_ = next_line(p_, end_);
    return complete_;
  }

 private:
  /// Reads one cell; false if it was the last of its line. p_ is then at the line's end, else at the next cell.
  bool parse_cell(std::size_t column, double* row) {
    const std::size_t target = column < layout_.target.size() ? layout_.target[column] : skipped_column;
    p_ = format_.skip_blanks(p_, end_);
    if (target == skipped_column || !parse_plain_number(row[target])) {
      const CsvCell cell = scan_cell(p_, end_, format_);
      if (target != skipped_column) parse_odd_cell(cell, column, row[target]);
      p_ = cell.next;
    }
    if (format_.by_blanks()) p_ = format_.skip_blanks(p_, end_);
    if (at_line_end(p_, end_)) return false;
    if (!format_.by_blanks()) ++p_;
    return true;
  }

  /// The most common cell: a finite number with nothing around it but blanks.
  bool parse_plain_number(double& value) {
    const char* q = parse_decimal(p_, end_, value);
    if (q == p_ || !std::isfinite(value)) return false;
    const char* const number_end = q;
    q = format_.skip_blanks(q, end_);
    const bool ends = at_line_end(q, end_) || *q == format_.delimiter || (format_.by_blanks() && q != number_end);
    if (ends) p_ = q;
    return ends;
  }

  void parse_odd_cell(const CsvCell& cell, std::size_t column, double& value) {
    const std::string_view text = trimmed(cell.text);
    const char* const text_end = text.data() + text.size();
    if (!text.empty() && parse_decimal(text.data(), text_end, value) == text_end) {
      if (std::isfinite(value)) return;
      throw CsvProblem{p_, column, concat(in_quotes(text), " exceeds the largest number, 1.8e308; rescale the column")};
    }
    if (!is_missing(text)) throw CsvProblem{p_, column, cell_problem(text, format_)};
    if (layout_.missing == Missing::error) fail_missing(text, cell, column);
    complete_ = false;
  }

  [[noreturn]] void fail_missing(std::string_view text, const CsvCell& cell, std::size_t column) const {
    const std::string what = text.empty() ? "the cell is empty" : concat(in_quotes(text), " is not a finite number");
    const bool trailing =
        text.empty() && column > 0 && column + 1 == layout_.target.size() && at_line_end(cell.next, end_);
    throw CsvProblem{p_, column,
                     concat(what, "; ", trailing ? "remove the delimiter that ends the line, " : "",
                            "fill it in, drop such rows, or leave the column out")};
  }

  [[noreturn]] void fail_ragged(const char* begin, std::size_t cells) const {
    const std::size_t width = layout_.target.size();
    const bool trailing = cells == width + 1 && p_ != begin && p_[-1] == format_.delimiter && !format_.by_blanks();
    throw CsvProblem{begin,
                     {},
                     concat("the line has ", cells, cells == 1 ? " cell" : " cells", " where the first line has ",
                            width, "; ", trailing ? "remove the delimiter that ends it" : layout_.ragged_hint)};
  }

  const CsvLayout& layout_;
  const CsvFormat format_;
  const char* p_;
  const char* end_;
  bool complete_ = true;
};

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
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

CsvRows parse_rows(std::string_view lines, const CsvLayout& layout) {
  CsvRows result;
  RowParser parser(lines, layout);
  result.values.reserve(lines.size() / 4);  // a guess that avoids most of the copying
  std::vector<double> row(layout.selected);
  try {
    while (!parser.at_end() && (layout.max_rows == 0 || result.rows < layout.max_rows)) {
      if (parser.parse(row.data())) {
        result.values.insert(result.values.end(), row.begin(), row.end());
        ++result.rows;
      } else {
        result.dropped.push_back(result.rows);
      }
    }
  } catch (CsvProblem& problem) {
    result.problem = std::move(problem);
  }
  return result;
}

}  // namespace gaussianize::detail
