#include "gaussianize/io/detail/csv_cells.hpp"

#include <algorithm>
#include <array>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/json_text.hpp"

namespace gaussianize::detail {
namespace {

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
    return "its minus is a typographic one; replace it by the hyphen-minus '-' of the keyboard";
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

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

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

std::string unquoted(const CsvCell& cell) {
  std::string text;
  for (std::size_t i = 0; i < cell.text.size(); ++i) {
    text += cell.text[i];
    if (cell.quoted && cell.text[i] == '"') ++i;
  }
  return text;
}

bool is_missing(std::string_view cell) {
  static constexpr std::array plain{"", "na", "n/a", "#n/a", "null", "none", "?"};
  static constexpr std::array perhaps_signed{"nan", "inf", "infinity"};
  const auto is = [](std::string_view text) {
    return [text](const char* token) { return equal_ignoring_case(text, token); };
  };
  const bool sign = !cell.empty() && (cell[0] == '+' || cell[0] == '-');
  return std::ranges::any_of(plain, is(cell)) || std::ranges::any_of(perhaps_signed, is(cell.substr(sign ? 1 : 0)));
}

std::string cell_problem(std::string_view cell, const CsvFormat& format) {
  return concat(in_quotes(cell), " is not a number; ", hint(cell, format));
}

}  // namespace gaussianize::detail
