#include "cli/tables.hpp"

#include <algorithm>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/entropy.hpp"

#include "cli/interrupt.hpp"
#include "cli/nearest.hpp"

namespace gaussianize {
using namespace detail;
namespace {

char delimiter(const Arguments& arguments) {
  const std::string& text = arguments.text("delimiter");
  if (text.empty()) return 0;
  if (text == "tab" || text == "\\t") return '\t';
  if (text == "space") return ' ';
  if (text.size() != 1) arguments.refuse("--delimiter is '", text, "'; give one character, tab or space");
  return text.front();
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

}  // namespace

Table load_table(const Arguments& arguments, const std::string& path, TableReport* report) {
  const TableOptions options{
      .delimiter = delimiter(arguments),
      .header = arguments.pick<std::optional<bool>>("header", {{"auto", std::nullopt}, {"yes", true}, {"no", false}}),
      .columns = arguments.text("columns"),
      .missing = arguments.pick<Missing>("missing", {{"error", Missing::error}, {"drop", Missing::drop}}),
      .max_rows = arguments.count("max-rows"),
      .threads = arguments.threads()};
  TableReport found;
  Table table;
  {
    const EndsAtOnce waiting;
    table = read_table(path, options, &found);
  }
  const std::string shown = path == "-" ? "standard input" : path;
  if (found.rows_dropped > 0)
    arguments.say("note: ", shown, ": ", found.rows_dropped, found.rows_dropped == 1 ? " row" : " rows",
                  " with missing values dropped, ", table.values.n_rows, " kept");
  if (report != nullptr) *report = std::move(found);
  if (table.values.is_empty()) throw DataError(concat(shown, ": has no rows of numbers"));
  return table;
}

void check_one_input(const Arguments& arguments, const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1)
    arguments.refuse("standard input ('-') can be read only once; give the other a file");
}

std::vector<std::string_view> toy_names() {
  std::vector<std::string_view> names;
  for (const ToyInfo& toy : toys()) names.push_back(toy.name);
  return names;
}

ToySample draw_rows(const Arguments& arguments, std::string_view toy, std::size_t rows, std::size_t dimension,
                    Seed seed) {
  const EndsAtOnce unasked;
  return generate(toy, rows, dimension, seed, arguments.threads());
}

void check_toy(const Arguments& arguments, const std::string& name) {
  const std::vector<std::string_view> names = toy_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  const auto guess = nearest(name, names);
  arguments.refuse("there is no distribution '", name, "'; ", guess ? concat("did you mean '", *guess, "'? ") : "",
                   "'gaussianize generate --list' shows them");
}

std::size_t toy_dimension(const Arguments& arguments, const std::string& toy) {
  if (arguments.given("dimension")) return arguments.count("dimension");
  const ToyInfo& info = find_toy(toy);
  return info.any_dimension ? 5 : info.dimension;
}

std::string column_name(const std::vector<std::string>& columns, std::size_t index) {
  return columns.empty() ? concat("column ", index) : columns[index];
}

std::vector<std::string> column_names(std::vector<std::string> columns, std::size_t count) {
  if (columns.empty())
    for (std::size_t d = 0; d < count; ++d) columns.push_back(concat("c", d));
  return columns;
}

arma::mat match_columns(const Arguments& arguments, const ColumnNames& wanted, const std::string& whose,
                        const Table& table, const std::string& path) {
  if (wanted.names.empty() || table.columns.empty()) {
    if (table.values.n_cols != wanted.count)
      throw DataError(concat(path, ": has ", table.values.n_cols, " columns and ", whose, " ", wanted.count,
                             "; choose as many with --columns"));
    return table.values;
  }
  std::vector<arma::uword> places;
  std::vector<std::string> missing;
  for (const std::string& name : wanted.names) {
    const auto found = std::find(table.columns.begin(), table.columns.end(), name);
    if (found == table.columns.end())
      missing.push_back(name);
    else
      places.push_back(static_cast<arma::uword>(found - table.columns.begin()));
  }
  if (!missing.empty())
    throw DataError(concat(path, ": lacks ", missing.size(), " of the columns of ", whose, ": ", list(missing),
                           "; it has ", list(table.columns)));
  if (table.columns.size() > places.size())
    arguments.say("note: ", path, ": ", table.columns.size() - places.size(), " columns that ", whose,
                  " does not have are left out");
  if (!std::is_sorted(places.begin(), places.end()))
    arguments.say("note: ", path, ": columns put into the order of ", whose);
  return table.values.cols(arma::uvec(places));
}

Option constant_option() {
  return {"constant",
          OptionKind::choice,
          "what to do with a column whose rows are all equal, which has no density",
          "WHAT",
          "error",
          0,
          {"error", "drop"}};
}

arma::uvec varying_columns(const Arguments& arguments, const std::vector<std::string>& columns, const arma::mat& rows) {
  std::vector<arma::uword> kept;
  std::vector<std::string> constant;
  for (arma::uword d = 0; d < rows.n_cols; ++d) {
    if (rows.n_rows > 0 && arma::any(rows.col(d) != rows(0, d)))
      kept.push_back(d);
    else
      constant.push_back(column_name(columns, d));
  }
  if (kept.empty()) throw DataError("every column is constant in the rows to fit: there is nothing to fit");
  if (!constant.empty() && arguments.text("constant") == "error")
    throw DataError(concat(constant.size(), constant.size() == 1 ? " column is" : " columns are",
                           " constant in the rows to fit and has no density: ", list(constant),
                           "; leave constant columns out with --constant drop, or choose columns with --columns"));
  if (!constant.empty()) arguments.say("note: constant columns left out: ", list(constant));
  return kept;
}

std::string ties_note(const std::vector<std::string>& columns, const arma::mat& rows) {
  std::vector<std::string> tied;
  for (arma::uword d = 0; d < rows.n_cols; ++d)
    if (2 * count_ties(rows.col(d)) > rows.n_rows) tied.push_back(column_name(columns, d));
  if (tied.empty()) return {};
  return concat("note: ", tied.size(), tied.size() == 1 ? " column repeats" : " columns repeat",
                " values in more than half of the rows: ", list(tied),
                "; the density of integers and rounded numbers is unbounded, so log densities depend on how narrow a "
                "model's peaks at the repeated values are");
}

void note_ties(const Arguments& arguments, const std::vector<std::string>& columns, const arma::mat& rows) {
  if (const std::string note = ties_note(columns, rows); !note.empty()) arguments.say(note);
}

std::vector<std::string> keep_columns(const std::vector<std::string>& names, const arma::uvec& columns) {
  std::vector<std::string> kept;
  if (!names.empty())
    for (const arma::uword d : columns) kept.push_back(names[d]);
  return kept;
}

arma::mat keep_columns(const arma::mat& rows, const arma::uvec& columns) {
  // Armadillo's selection looks into a table without rows.
  return rows.empty() ? arma::mat(rows.n_rows, columns.n_elem) : arma::mat(rows.cols(columns));
}

}  // namespace gaussianize
