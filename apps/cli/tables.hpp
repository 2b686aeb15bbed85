#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/data/generate.hpp"
#include "gaussianize/io/table.hpp"

#include "cli/arguments.hpp"

namespace gaussianize {

/// Reads a table as the options ask, and reports how many rows were dropped. Throws DataError if it has no rows.
Table load_table(const Arguments& arguments, const std::string& path, TableReport* report = nullptr);

/// Throws UsageError if more than one of the paths is "-".
void check_one_input(const Arguments& arguments, const std::vector<std::string>& paths);

/// A name as a message shows it: 'age', or 'column 3' if the table gives no names.
std::string column_name(const std::vector<std::string>& columns, std::size_t index);

/// The names of `count` columns, or c0, c1, … if they have none.
std::vector<std::string> column_names(std::vector<std::string> columns, std::size_t count);

/// Throws UsageError, with the nearest that exists, if no built-in distribution has that name.
void check_toy(const Arguments& arguments, const std::string& name);

/// The number of columns to draw: --dimension, or 5 for distributions of any dimension, or the distribution's own.
std::size_t toy_dimension(const Arguments& arguments, const std::string& toy);

/// The names of the built-in distributions.
std::vector<std::string_view> toy_names();

/// Rows of a built-in distribution.
ToySample draw_rows(const Arguments& arguments, std::string_view toy, std::size_t rows, std::size_t dimension,
                    Seed seed);

/// What a set of columns is known by: their names, or without names their number.
struct ColumnNames {
  std::vector<std::string> names;
  std::size_t count = 0;
};

/// The columns of a table in the order that `wanted` has them. By name where both sides have names: another order is
/// put right and surplus columns are left out, each with a note. By position otherwise. Throws DataError that names
/// what is missing; `whose` and `path` name the two sides in its message.
arma::mat match_columns(const Arguments& arguments, const ColumnNames& wanted, const std::string& whose,
                        const Table& table, const std::string& path);

/// The option --constant, and the columns of a table that are left when it is obeyed: a column in which the given rows
/// do not differ has no density. Throws DataError, naming them, unless they may be dropped, and if none is left.
Option constant_option();
arma::uvec varying_columns(const Arguments& arguments, const std::vector<std::string>& columns, const arma::mat& rows);

/// A note on columns that repeat values in more than half of the rows: integers, codes and rounded measurements
/// have no bounded density, so a model's log density there depends on how narrow its peaks are, not only on how well it
/// fits.
/// Empty if there are none; note_ties prints it.
std::string ties_note(const std::vector<std::string>& columns, const arma::mat& rows);
void note_ties(const Arguments& arguments, const std::vector<std::string>& columns, const arma::mat& rows);

/// These columns' names alone, if there are names, and these columns alone.
std::vector<std::string> keep_columns(const std::vector<std::string>& names, const arma::uvec& columns);
arma::mat keep_columns(const arma::mat& rows, const arma::uvec& columns);

}  // namespace gaussianize
