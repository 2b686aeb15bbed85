#include "compare/folds.hpp"

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/data/split.hpp"

#include "cli/tables.hpp"

namespace gaussianize {
using namespace detail;
namespace {

std::vector<ComparisonFold> toy_folds(const Arguments& arguments, std::string& source) {
  const std::string& toy = arguments.text("toy");
  check_toy(arguments, toy);
  const Seed seed = arguments.seed();
  const std::size_t dimension = toy_dimension(arguments, toy);
  const ToySample drawn = draw_rows(arguments, toy, arguments.count("rows"), dimension, seed);
  ToySample test = draw_rows(arguments, toy, arguments.count("test-rows"), dimension, Seed{seed.value + 1});
  source = concat("built-in distribution ", toy);
  return {{hold_out(drawn.columns, drawn.x, arguments.number("validation-fraction"), seed), std::move(test.x),
           std::move(test.log_density)}};
}

std::vector<ComparisonFold> cross_validation(const Arguments& arguments, const Table& table) {
  const std::size_t folds = arguments.count("cross-validate");
  const arma::uword rows = table.values.n_rows;
  if (folds < 2) arguments.refuse("--cross-validate is ", folds, "; at least 2 folds are needed");
  if (folds > rows / 2) arguments.refuse("--cross-validate is ", folds, ", too many folds for ", rows, " rows");
  std::vector<ComparisonFold> result;
  for (const Fold& fold : cross_validation_folds(rows, folds, arguments.seed()))
    result.push_back({hold_out(table.columns, table.values.rows(fold.train), arguments.number("validation-fraction"),
                               arguments.seed()),
                      table.values.rows(fold.test),
                      {}});
  return result;
}

/// Moves a share of the rows into `test`.
void split_test(const Arguments& arguments, const std::string& path, arma::mat& rows, arma::mat& test) {
  const double fraction = arguments.number("test-fraction");
  if (!(fraction > 0 && fraction < 1)) arguments.refuse("--test-fraction is ", fraction, "; it must lie in (0, 1)");
  const auto n = static_cast<double>(rows.n_rows);
  if (n * fraction < 1 || n * (1 - fraction) < 2)
    throw DataError(concat(path, ": ", rows.n_rows, " rows are too few to test a share of ", fraction));
  const SplitRows split = split_rows(rows.n_rows, {1 - fraction, 0.0, fraction}, arguments.seed());
  test = rows.rows(split.test);
  rows = arma::mat(rows.rows(split.train));
}

/// One split: files where they are given, shares of DATA where not.
ComparisonFold single_fold(const Arguments& arguments, const Table& table, const std::string& path) {
  const std::string &validation_path = arguments.text("validation"), &test_path = arguments.text("test");
  check_one_input(arguments, {path, validation_path, test_path});
  const auto extra = [&](const std::string& file) {
    return match_columns(arguments, {table.columns, table.values.n_cols}, "DATA", load_table(arguments, file), file);
  };
  ComparisonFold fold;
  arma::mat rows = table.values;
  if (test_path.empty())
    split_test(arguments, path, rows, fold.test);
  else
    fold.test = extra(test_path);
  const double held = validation_path.empty() ? arguments.number("validation-fraction") : 0.0;
  fold.fit = hold_out(table.columns, rows, held, arguments.seed());
  if (!validation_path.empty()) fold.fit.validation = extra(validation_path);
  return fold;
}

/// Leaves out, in every fold, what is constant in any.
void drop_constant(const Arguments& arguments, std::vector<ComparisonFold>& folds) {
  for (std::size_t k = 0; k < folds.size(); ++k) {
    const arma::uvec kept = varying_columns(arguments, folds[k].fit.columns, folds[k].fit.training);
    for (ComparisonFold& fold : folds) {
      fold.fit.columns = keep_columns(fold.fit.columns, kept);
      fold.fit.training = keep_columns(fold.fit.training, kept);
      fold.fit.validation = keep_columns(fold.fit.validation, kept);
      fold.test = keep_columns(fold.test, kept);
    }
  }
}

void check_consistent(const Arguments& arguments) {
  const bool file = arguments.positionals() > 0;
  for (const char* option : {"toy", "rows", "test-rows", "dimension"})
    if (file && arguments.given(option))
      arguments.refuse("--", option, " is for built-in distributions; leave out the file");
  for (const char* option : {"validation", "test", "cross-validate", "test-fraction"})
    if (!file && arguments.given(option)) arguments.refuse("--", option, " needs DATA");
  for (const char* option : {"validation", "test", "test-fraction"})
    if (arguments.given("cross-validate") && arguments.given(option))
      arguments.refuse("--cross-validate splits by itself; leave out --", option);
  if (arguments.given("test") && arguments.given("test-fraction"))
    arguments.refuse("--test gives the test rows; leave out --test-fraction");
  if (arguments.given("validation") && arguments.given("validation-fraction"))
    arguments.refuse("--validation gives the validation rows; leave out --validation-fraction");
}

}  // namespace

std::vector<ComparisonFold> comparison_folds(const Arguments& arguments, std::string& source) {
  check_consistent(arguments);
  if (arguments.positionals() == 0) return toy_folds(arguments, source);
  const std::string& path = arguments.positional(0);
  source = path == "-" ? "standard input" : path;
  const Table table = load_table(arguments, path);
  std::vector<ComparisonFold> folds;
  if (arguments.given("cross-validate"))
    folds = cross_validation(arguments, table);
  else
    folds.push_back(single_fold(arguments, table, path));
  drop_constant(arguments, folds);
  note_ties(arguments, folds.front().fit.columns, folds.front().fit.training);
  return folds;
}

OptionGroup comparison_data_options() {
  constexpr auto count = OptionKind::count;
  return {"Data",
          {{"validation", OptionKind::file, "validation rows, instead of a share of DATA", "FILE"},
           {"test", OptionKind::file, "test rows, instead of a share of DATA", "FILE"},
           {"test-fraction", OptionKind::number, "share of DATA used as test rows", "X", "0.2"},
           {"validation-fraction", OptionKind::number, "share of the other rows used as validation rows", "X", "0.1"},
           {"cross-validate", count, "K-fold cross-validation: every row is a test row once", "K"},
           constant_option(),
           {"toy", OptionKind::choice, "without DATA: the built-in distribution", "NAME", "sine-chain", 0, toy_names()},
           {"rows", count, "without DATA: number of rows to fit", "N", "10000"},
           {"test-rows", count, "without DATA: number of test rows", "N", "10000"},
           {"dimension", count, "without DATA: columns, 5 if not given, for distributions of any dimension", "D"}}};
}

}  // namespace gaussianize
