#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/io/detail/csv_cells.hpp"
#include "gaussianize/io/table.hpp"

namespace gaussianize::detail {

/// Marks a column that is not wanted.
inline constexpr std::size_t skipped_column = std::numeric_limits<std::size_t>::max();

/// How lines become rows of numbers.
struct CsvLayout {
  CsvFormat format;
  std::vector<std::size_t> target;  ///< for each column of the text its place in a row, or skipped_column
  std::size_t selected = 0;         ///< places in a row
  Missing missing = Missing::error;
  std::size_t max_rows = 0;  ///< stop after so many; 0: never
  std::string ragged_hint;   ///< how to mend a line with another number of cells than the first
};

/// The rows of some lines, row by row, up to the end or the first fault.
struct CsvRows {
  std::vector<double> values;
  std::size_t rows = 0;
  std::vector<std::size_t> dropped;  ///< for each row that was dropped, the number of those kept before it
  std::optional<CsvProblem> problem;
};

/// Reads whole lines. Blank ones are rows in which all is missing. Columns that are not wanted may hold any text.
CsvRows parse_rows(std::string_view lines, const CsvLayout& layout);

}  // namespace gaussianize::detail
