#include "gaussianize/io/detail/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/column_selection.hpp"
#include "gaussianize/io/detail/csv_lines.hpp"
#include "gaussianize/io/detail/json_text.hpp"

namespace gaussianize::detail {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& problem) {
  throw DataError(concat(name, ": ", problem));
}

/// Throws a problem at a position of the text, with its line and column.
[[noreturn]] void fail(std::string_view text, const std::string& name, const CsvProblem& problem,
                       const std::vector<std::string>& names) {
  const auto line = 1 + std::count(text.data(), problem.where, '\n');
  const std::string column = problem.column ? ", " + column_label(*problem.column, names) : "";
  fail(name, concat("line ", line, column, ": ", problem.what));
}

bool starts_with(std::string_view text, std::initializer_list<unsigned char> bytes) {
  return text.size() >= bytes.size() && std::equal(bytes.begin(), bytes.end(), text.begin(),
                                                   [](auto a, char b) { return a == static_cast<unsigned char>(b); });
}

/// Throws unless the text is of single bytes, as ASCII and UTF-8 are.
void check_encoding(std::string_view text, const std::string& name) {
  if (starts_with(text, {0xFF, 0xFE}) || starts_with(text, {0xFE, 0xFF}))
    fail(name, "is UTF-16 text; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)");
  const std::size_t nul = text.find('\0');
  if (nul == std::string_view::npos) return;
  if (nul < 2) fail(name, "has NUL bytes, as UTF-16 text does; convert it to UTF-8 (iconv -f UTF-16LE -t UTF-8)");
  fail(text, name, {text.data() + nul, {}, "a NUL byte; this is not a text file, or it is damaged"}, {});
}

/// Whether the character can separate cells.
bool is_delimiter(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return c == '\t' ||
         (c >= ' ' && c <= '~' && !letter && !(c >= '0' && c <= '9') && c != '.' && c != '+' && c != '-' && c != '"');
}

/// The first of tab, semicolon and comma that the first line holds outside quotes, else a space.
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

/// The text without byte-order mark and without the blank lines at its end.
std::string_view content_of(std::string_view text, const CsvFormat& format) {
  if (starts_with(text, {0xEF, 0xBB, 0xBF})) text.remove_prefix(3);
  while (!text.empty() && (format.is_blank(text.back()) || text.back() == '\n' || text.back() == '\r'))
    text.remove_suffix(1);
  return text;
}

/// The place after the first line feed outside quotes at or after `from`, or npos. Quotes inside a quoted cell are
/// doubled, so that a position is inside one where an odd number of quotes precedes it.
std::size_t after_line(std::string_view lines, std::size_t from, bool inside) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    if (lines[i] == '"') inside = !inside;
    if (lines[i] == '\n' && !inside) return i + 1;
  }
  return std::string_view::npos;
}

/// Cuts lines into pieces of about `chunk` bytes, in order, each of whole lines: a line feed between quotes does not
/// end a line. Where quotes are misused, the lines up to the first misuse are still cut correctly. Linear in the size
/// of the text.
std::vector<std::string_view> cut_into_chunks(std::string_view lines, std::size_t chunk, int threads) {
  const std::size_t parts = block_count(lines.size(), chunk);
  std::vector<char> odd(parts);
  parallel_for(parts, threads, [&](std::size_t i) {
    odd[i] = std::ranges::count(lines.substr(i * chunk, chunk), '"') % 2 == 1 ? 1 : 0;
  });

  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 1; i < parts; ++i) {
    inside = inside != (odd[i - 1] == 1);
    if (i * chunk < begin) continue;
    const std::size_t end = after_line(lines, i * chunk, inside);
    if (end >= lines.size()) break;
    pieces.push_back(lines.substr(begin, end - begin));
    begin = end;
  }
  pieces.push_back(lines.substr(begin));
  return pieces;
}

/// Puts the rows of all chunks, up to the first `max_rows` (0: all) of them, into one matrix.
arma::mat assemble(std::vector<CsvRows>& chunks, std::size_t columns, std::size_t max_rows, int threads) {
  std::vector<std::size_t> first(chunks.size() + 1, 0);
  for (std::size_t k = 0; k < chunks.size(); ++k) first[k + 1] = first[k] + chunks[k].rows;
  const std::size_t rows = max_rows == 0 ? first.back() : std::min(max_rows, first.back());
  arma::mat values(rows, columns, arma::fill::none);
  parallel_for(chunks.size(), threads, [&](std::size_t k) {
    const std::vector<double> source = std::move(chunks[k].values);
    const std::size_t count = std::min(first[k + 1], rows) - std::min(first[k], rows);
    constexpr std::size_t tile = 8;  // doubles in a cache line: each is read once
    for (std::size_t begin = 0; begin < columns; begin += tile)
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t c = begin; c < std::min(begin + tile, columns); ++c)
          values(first[k] + i, c) = source[i * columns + c];
  });
  return values;
}

/// Throws the first problem from top to bottom, if it comes before enough rows.
void check_problems(std::string_view text, const std::string& name, const std::vector<CsvRows>& chunks,
                    std::size_t max_rows, const std::vector<std::string>& names) {
  std::size_t rows = 0;
  for (const CsvRows& chunk : chunks) {
    rows += chunk.rows;
    if (max_rows != 0 && rows >= max_rows) return;
    if (chunk.problem) fail(text, name, *chunk.problem, names);
  }
}

/// Throws DataError, beginning with `file`, if one of the columns to be read has no name, the same name as another, or
/// one that is not UTF-8.
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

/// A single column whose first line holds another delimiter was probably meant to be several.
std::string ragged_hint(std::string_view content, const CsvHeader& header, const CsvFormat& format) {
  const char other = find_delimiter(content);
  if (header.width > 1 || other == format.delimiter || other == ' ') return "give every line the same number of cells";
  const std::string mark = other == '\t' ? "tab" : std::string(1, other);
  return concat("the first line holds '", mark, "': if it separates the cells, set the delimiter to '", mark, "'");
}

CsvLayout layout_of(std::string_view content, const CsvHeader& header, const CsvFormat& format,
                    const std::vector<std::size_t>& columns, const TableOptions& options) {
  CsvLayout layout{format,           std::vector<std::size_t>(header.width, skipped_column),
                   columns.size(),   options.missing,
                   options.max_rows, ragged_hint(content, header, format)};
  for (std::size_t place = 0; place < columns.size(); ++place) layout.target[columns[place]] = place;
  return layout;
}

/// The rows dropped before the last that is kept, each as the number of kept rows before it.
std::vector<std::size_t> find_dropped(const std::vector<CsvRows>& chunks, std::size_t max_rows) {
  std::size_t rows = 0;
  std::vector<std::size_t> dropped;
  for (const CsvRows& chunk : chunks) {
    for (const std::size_t before : chunk.dropped)
      if (max_rows == 0 || rows + before < max_rows) dropped.push_back(rows + before);
    rows += chunk.rows;
  }
  return dropped;
}

Table parse_body(std::string_view text, std::string_view content, const CsvHeader& header, const std::string& name,
                 const CsvFormat& format, const TableOptions& options, TableReport* report, std::size_t chunk) {
  Table table;
  const std::vector<std::size_t> columns = select_columns(options.columns, header.names, header.width, name);
  if (!header.names.empty())
    for (const std::size_t column : columns) table.columns.push_back(header.names[column]);
  check_names(header, columns, name);

  const std::string_view body = content.substr(header.length);
  if (body.empty()) fail(name, "has a header but no rows below it");
  const CsvLayout layout = layout_of(content, header, format, columns, options);
  const std::vector<std::string_view> pieces = cut_into_chunks(body, chunk, options.threads);
  std::vector<CsvRows> chunks(pieces.size());
  parallel_for(pieces.size(), options.threads, [&](std::size_t k) { chunks[k] = parse_rows(pieces[k], layout); });
  check_problems(text, name, chunks, options.max_rows, header.names);

  std::vector<std::size_t> dropped = find_dropped(chunks, options.max_rows);
  table.values = assemble(chunks, columns.size(), options.max_rows, options.threads);
  if (table.values.n_rows == 0)
    fail(name, concat("no row is left: all ", dropped.size(), " have missing cells; choose other columns"));
  if (report != nullptr) *report = {dropped.size(), std::move(dropped)};
  return table;
}

void append_name(std::string& text, const std::string& name, char delimiter) {
  // A reader takes what looks like a byte-order mark at the start of a file for one.
  const bool plain = !name.empty() && name.find_first_of("\"\r\n \t") == std::string::npos &&
                     name.find(delimiter) == std::string::npos && !name.starts_with("\xEF\xBB\xBF");
  if (plain) {
    text += name;
    return;
  }
  text += '"';
  for (const char c : name) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

void append_number(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";  // whatever its sign
    return;
  }
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

Table parse_csv(std::string_view text, const std::string& name, const TableOptions& options, TableReport* report,
                std::size_t chunk) {
  check_encoding(text, name);
  CsvFormat format{options.delimiter != 0 ? options.delimiter : find_delimiter(text)};
  require(is_delimiter(format.delimiter), "not a delimiter: '", format.delimiter,
          "'; use a comma, a semicolon, a tab, a space or another character that numbers do not contain");
  const std::string_view content = content_of(text, format);
  if (content.empty()) fail(name, text.empty() ? "is empty" : "has only blank lines");
  CsvHeader header;
  try {
    header = parse_header(content, format, options.header);
  } catch (const CsvProblem& problem) {
    fail(text, name, problem, {});
  }
  return parse_body(text, content, header, name, format, options, report, chunk);
}

std::string format_csv(const Table& table, char delimiter) {
  const std::size_t columns = table.values.n_cols;
  require(table.columns.empty() || table.columns.size() == columns, "a table of ", columns, " columns has ",
          table.columns.size(), " names; give none or one per column");
  std::string text;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    append_name(text, table.columns[c], delimiter);
    text += c + 1 < columns ? delimiter : '\n';
  }
  for (std::size_t i = 0; i < table.values.n_rows; ++i)
    for (std::size_t c = 0; c < columns; ++c) {
      append_number(text, table.values(i, c));
      text += c + 1 < columns ? delimiter : '\n';
    }
  return text;
}

}  // namespace gaussianize::detail
