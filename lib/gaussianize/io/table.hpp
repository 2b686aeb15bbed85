#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#pragma GCC visibility push(default)
namespace gaussianize {

/// Numbers with column names: what every table format reads into and writes from.
struct Table {
  std::vector<std::string> columns;  ///< names; empty if the file gave none, else one per column
  arma::mat values;                  ///< N×D
};

/// What to do with a row that has an empty, NA or non-finite cell.
enum class Missing { error, drop };

struct TableOptions {
  char delimiter = 0;               ///< ' ': any run of spaces and tabs; 0: by extension (.csv ',', .tsv tab), else by
                                    ///< the first line
  std::optional<bool> header = {};  ///< unset: a first line without any number is a header, one of numbers is none, and
                                    ///< one of both is refused
  std::string columns = {};         ///< names, 0-based indices and ranges, "a,b,3-7"; empty: all
  Missing missing = Missing::error;
  std::size_t max_rows = 0;  ///< 0: all; else the first max_rows that are not dropped; errors beyond are not found
  int threads = 0;           ///< 0: one per hardware thread; changes no bit of the result
};

/// What was dropped while reading.
struct TableReport {
  std::size_t rows_dropped = 0;            ///< by Missing::drop
  std::vector<std::size_t> dropped_after;  ///< of each dropped row, in order: the number of kept rows before it
};

/// Reads a table by the file's content and name: NPY and IDX by their magic bytes, gzip around any of them, text
/// otherwise; "-" is standard input. Throws FileError for a file that cannot be read, DataError, naming file, line,
/// column, the cell and the fix, for content that is not a table of finite numbers.
Table read_table(const std::filesystem::path& path, const TableOptions& options = {}, TableReport* report = nullptr);

/// Writes CSV (shortest numbers that read back to the same bits), or TSV or NPY by extension, gzipped if it ends in
/// .gz; atomically, and "-" is CSV to standard output. Throws FileError.
void write_table(const Table& table, const std::filesystem::path& path);

}  // namespace gaussianize
#pragma GCC visibility pop
