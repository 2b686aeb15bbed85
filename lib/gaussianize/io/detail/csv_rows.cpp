#include "gaussianize/io/detail/csv_rows.hpp"

#include <cmath>
#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/decimal.hpp"
#include "gaussianize/io/detail/json_text.hpp"

namespace gaussianize::detail {
namespace {

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

  /// The cell that nearly all cells are: a finite number with nothing around it but blanks.
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
      throw CsvProblem{p_, column,
                       concat(in_quotes(text), " is beyond the largest number, 1.8e308; rescale the column")};
    }
    if (!is_missing(text)) throw CsvProblem{p_, column, cell_problem(text, format_)};
    if (layout_.missing == Missing::error) fail_missing(text, cell, column);
    complete_ = false;
  }

  [[noreturn]] void fail_missing(std::string_view text, const CsvCell& cell, std::size_t column) const {
    const std::string what = text.empty() ? "the cell is empty" : concat(in_quotes(text), " is no finite number");
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

CsvRows parse_rows(std::string_view lines, const CsvLayout& layout) {
  CsvRows result;
  RowParser parser(lines, layout);
  result.values.reserve(lines.size() / 4);  // a guess that spares most of the copying
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
