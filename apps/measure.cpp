#include "gaussianize/info/measure.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/info/divergence.hpp"
#include "gaussianize/info/model_implied.hpp"

#include "cli/exit_codes.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/models.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "cli/text_table.hpp"
#include "commands.hpp"
#include "measure/data.hpp"
#include "measuring/candidates.hpp"
#include "measuring/pairs.hpp"

namespace gaussianize {
using namespace detail;
namespace {

MeasureOptions measure_options(const Arguments& arguments, const ProgressCallback& progress) {
  return {.method = arguments.pick<MeasureMethod>("method", {{"auto", MeasureMethod::automatic},
                                                             {"gaussian-copula", MeasureMethod::gaussian_copula},
                                                             {"rbig", MeasureMethod::rbig},
                                                             {"neighbours", MeasureMethod::nearest_neighbour}}),
          .effort = arguments.pick<MeasureEffort>(
              "preset",
              {{"fast", MeasureEffort::fast}, {"default", MeasureEffort::standard}, {"best", MeasureEffort::best}}),
          .max_rows = arguments.count("subsample"),
          .neighbours = arguments.count("neighbours"),
          .permutations = arguments.count("permutations"),
          .jitter = arguments.flag("jitter"),
          .seed = arguments.seed(),
          .threads = arguments.threads(),
          .progress = progress};
}

Measure measure_groups(const Arguments& arguments, const MeasuredData& data, const MeasureOptions& options) {
  const arma::mat& all = data.first.values;
  if (!arguments.given("x") && !arguments.given("y") && !arguments.given("given")) {
    if (all.n_cols < 2) throw DataError(concat(data.source, ": mutual information needs at least two columns"));
    if (all.n_cols > 2 && arguments.positionals() > 1)
      arguments.refuse("say between which columns: --x LIST --y LIST; ", data.source, " has ", all.n_cols,
                       "; 'measure pairs' takes every two");
    return mutual_information(all.col(0), all.col(1), options);
  }
  if (!arguments.given("x") || !arguments.given("y")) arguments.refuse("--x and --y are both needed");
  check_groups(arguments, data);
  const arma::mat x = column_group(arguments, data, "x"), y = column_group(arguments, data, "y");
  if (!arguments.given("given")) return mutual_information(x, y, options);
  return conditional_mutual_information(x, y, column_group(arguments, data, "given"), options);
}

Measure measure(const Arguments& arguments, const std::string& quantity, const MeasuredData& data,
                const MeasureOptions& options) {
  if (quantity == "entropy") return joint_entropy(data.first.values, options);
  if (data.model) return total_correlation(*data.model, data.first.values, options);
  if (quantity == "total-correlation") return total_correlation(data.first.values, options);
  if (quantity == "divergence") return divergence(data.first.values, data.second, options);
  return measure_groups(arguments, data, options);
}

void say_candidates(const Arguments& arguments, const Measure& m) {
  if (m.candidates.empty()) return;
  arguments.say("candidates, nats on rows that they were not fitted to (the first one: less what fitting adds):");
  for (const MeasureCandidate& candidate : m.candidates)
    arguments.say(candidate.chosen ? "  * " : "    ", candidate.name, ": ", with_error(candidate.held_out, 4));
}

void report(const Arguments& arguments, const std::string& quantity, const MeasuredData& data, const Measure& m) {
  const std::string& units = arguments.text("units");
  const double unit = units == "bits" ? std::log(2.0) : 1.0;
  Json json = begin_json(arguments);
  json["quantity"] = quantity;
  json["value"] = m.value;
  json["standard_error"] = m.standard_error;
  json["interval"] = {m.interval.low, m.interval.high};
  json["p_value"] = m.p_value ? Json(*m.p_value) : Json(nullptr);
  json["units"] = units;
  json["method"] = m.method;
  json["candidates"] = measure_candidates_json(m.candidates);
  json["model_error"] = m.model_error;
  json["warnings"] = m.warnings;
  json["suspect"] = m.suspect;
  json["data"] = data.source;
  json["rows"] = data.first.values.n_rows;
  if (data.truth) json["truth"] = *data.truth / unit;
  std::optional<Estimate> implied;
  if (data.model) {
    const ModelImpliedOptions options{.seed = arguments.seed(), .threads = arguments.threads()};
    implied = model_implied(*data.model, data.first.values, options).total_correlation;
    *implied = {implied->value / unit, implied->standard_error / unit};
    json["model_believes"] = {{"value", implied->value}, {"standard_error", implied->standard_error}};
  }
  write_json(arguments, json);
  std::ostringstream text;
  text << quantity << ": " << with_error(estimate_of(m), 4) << ' ' << units;
  if (std::isfinite(m.standard_error))
    text << ", 95 % interval " << fixed(m.interval.low, 4) << " to " << fixed(m.interval.high, 4);
  else
    text << ", no interval: too few rows";
  if (m.p_value) text << ", p-value " << p_text(*m.p_value);
  if (m.suspect) text << "; suspect";
  text << '\n';
  if (implied) text << "model-implied value: " << with_error(*implied, 4) << ' ' << units << '\n';
  if (data.truth) text << "truth: " << fixed(*data.truth / unit, 4) << ' ' << units << '\n';
  print(arguments, text.str());
}

/// Calls `work`; a signal meanwhile ends the program at once.
template <class Work>
auto at_once(Work work) {
  const EndsAtOnce unasked;
  return work();
}

Json matrix_json(const arma::mat& matrix) {
  Json rows = Json::array();
  for (arma::uword i = 0; i < matrix.n_rows; ++i) rows.push_back(json_numbers(matrix.row(i).t()));
  return rows;
}

/// One line per pair, the most dependent first; the matrix goes to --output and into the JSON.
void report_pairs(const Arguments& arguments, const MeasuredData& data, const PairwiseInformation& pairs) {
  const std::vector<std::string> names = column_names(data.first.columns, data.first.values.n_cols);
  Json json = begin_json(arguments);
  json["quantity"] = "pairs";
  json["units"] = arguments.text("units");
  json["data"] = data.source;
  json["warnings"] = pairs.warnings;
  json["names"] = names;
  json["value"] = matrix_json(pairs.value);
  json["standard_error"] = matrix_json(pairs.standard_error);
  json["interval_low"] = matrix_json(pairs.value - normal_975 * pairs.standard_error);
  json["interval_high"] = matrix_json(pairs.value + normal_975 * pairs.standard_error);
  json["p_value"] = matrix_json(pairs.p_value);
  json["suspect"] = matrix_json(arma::conv_to<arma::mat>::from(pairs.suspect));
  if (arguments.given("output")) write_rows(arguments, {names, pairs.value}, json);
  json["rows"] = data.first.values.n_rows;
  write_json(arguments, json);
  if (arguments.given("output")) return;
  std::vector<std::vector<std::string>> rows{{"pair", arguments.text("units"), "p", ""}};
  for (const auto& [i, j] : ranked_pairs(pairs))
    rows.push_back({names[i] + ", " + names[j], with_error({pairs.value(i, j), pairs.standard_error(i, j)}, 4),
                    std::isnan(pairs.p_value(i, j)) ? "" : p_text(pairs.p_value(i, j)),
                    pairs.suspect(i, j) != 0 ? "suspect" : ""});
  print(arguments, text_table(rows));
}

int measure_pairs(const Arguments& arguments, const MeasuredData& data, const MeasureOptions& options) {
  if (data.first.values.n_cols < 2) throw DataError(concat(data.source, ": pairs need at least two columns"));
  const PairwiseInformation nats = at_once([&] { return pairwise_mutual_information(data.first.values, options); });
  for (const std::string& warning : nats.warnings) arguments.say("note: ", warning);
  report_pairs(arguments, data, arguments.text("units") == "bits" ? to_bits(nats) : nats);
  return exit_done;
}

/// One number a row, with a header in a file and bare on standard output.
int measure_rows(const Arguments& arguments, const MeasuredData& data, const MeasureOptions& options) {
  const std::string& units = arguments.text("units");
  const arma::vec nats = at_once([&] { return local_total_correlation(data.first.values, options); });
  const arma::vec local = nats / (units == "bits" ? std::log(2.0) : 1.0);
  Json json = begin_json(arguments);
  json["quantity"] = arguments.positional(0);
  json["units"] = units;
  json["data"] = data.source;
  const bool file = arguments.given("output") && arguments.text("output") != "-";
  write_rows(arguments,
             {file ? std::vector<std::string>{"local_total_correlation"} : std::vector<std::string>{}, local}, json);
  write_json(arguments, json);
  return exit_done;
}

/// Refuses options that do not belong to the quantity.
void check_options(const Arguments& arguments, const std::string& quantity) {
  const auto belong = [&](bool here, std::initializer_list<const char*> options, const char* where) {
    for (const char* option : options)
      if (!here && arguments.given(option)) arguments.refuse("--", option, " belongs to ", where);
  };
  const bool of_rows = quantity == "local-total-correlation";
  belong(quantity == "mutual-information", {"x", "y", "given"}, "mutual-information");
  belong(quantity == "pairs" || of_rows, {"output"}, "pairs and local-total-correlation; --json writes the others");
  belong(!of_rows, {"permutations"}, "the quantities of all rows together; a row has no p-value");
  belong(quantity == "total-correlation", {"model"}, "total-correlation");
}

int run_measure(const Arguments& arguments) {
  const std::string& quantity = arguments.positional(0);
  check_options(arguments, quantity);
  if (arguments.given("model")) {
    if (arguments.positionals() == 1) arguments.refuse("--model needs DATA: rows that it was not fitted to");
    for (const char* option : {"method", "preset", "subsample", "neighbours", "permutations", "jitter"})
      if (arguments.given(option)) arguments.refuse("--", option, " does not apply to a model; leave it out");
  }
  const MeasuredData data = load_measured(arguments, quantity);
  if (arguments.positionals() == 1) arguments.say("data: ", data.source);
  ProgressBar bar("measure", arguments.quiet());
  const MeasureOptions options = measure_options(arguments, bar.callback());
  if (quantity == "pairs") return measure_pairs(arguments, data, options);
  if (quantity == "local-total-correlation") return measure_rows(arguments, data, options);
  const Measure nats = at_once([&] { return measure(arguments, quantity, data, options); });
  for (const std::string& warning : nats.warnings) arguments.say("note: ", warning);
  if (!nats.method.empty()) arguments.say("method: ", nats.method);
  say_candidates(arguments, nats);
  report(arguments, quantity, data, arguments.text("units") == "bits" ? to_bits(nats) : nats);
  return exit_done;
}

}  // namespace

Command measure_command() {
  return {
      .name = "measure",
      .summary = "entropy, total correlation, mutual information or divergence, with its standard error",
      .description =
          "Estimates a quantity from the rows of a table, with its standard error, a 95 % interval and, where there "
          "is a hypothesis to test, a p-value from permutations.\n\nentropy: the differential entropy of all columns "
          "together. total-correlation: the dependence between all columns, 0 if they are independent. "
          "mutual-information: the dependence between the columns of --x and those of --y, given those of --given. "
          "pairs: the mutual information of every pair of columns, the largest first; --output writes the matrix. "
          "local-total-correlation: for every row, log p(x)/Π p_d(x_d), large where the values of the row occur "
          "together more often than they would if the columns were independent; the mean is the total correlation, "
          "apart from bias. divergence: the Kullback-Leibler divergence of the distribution of DATA from that of "
          "DATA_Q.\n\nWithout DATA it measures a built-in distribution, and prints the true value.",
      .positionals = {{"QUANTITY",
                       "entropy, total-correlation, mutual-information, pairs, local-total-correlation or divergence",
                       false,
                       {"entropy", "total-correlation", "mutual-information", "pairs", "local-total-correlation",
                        "divergence"}},
                      {"DATA", "a table; - is standard input; without it a built-in distribution", true},
                      {"DATA_Q", "only for divergence: the second table", true}},
      .groups =
          {{"Measuring",
            {{"x", OptionKind::text, "mutual-information: the first group of columns, as in a,b,3-7", "LIST"},
             {"y", OptionKind::text, "the second group", "LIST"},
             {"given", OptionKind::text, "columns to condition on", "LIST"},
             {"model", OptionKind::file,
              "total-correlation by the likelihood of a model written by fit, on rows it was not fitted to: a lower "
              "bound, up to statistical error; and the model-implied value",
              "MODEL"},
             {"units", OptionKind::choice, "units of the result", "UNIT", "nats", 0, {"nats", "bits"}},
             {"method",
              OptionKind::choice,
              "how dependence is estimated",
              "NAME",
              "auto",
              0,
              {"auto", "gaussian-copula", "rbig", "neighbours"}},
             {"preset",
              OptionKind::choice,
              "how much the method auto tries: fast leaves out the models that are trained, best trains them longer",
              "NAME",
              "default",
              0,
              {"fast", "default", "best"}},
             {"subsample", OptionKind::count,
              "estimate dependence from at most this many rows, evenly spaced; 0: from all", "N", "100000"},
             {"neighbours", OptionKind::count, "number of neighbours, for the method neighbours", "K", "5"},
             {"permutations", OptionKind::count, "number of permutations for the p-value; 0: no p-value", "N", "199"},
             {"jitter", OptionKind::flag, "break ties at random with gaussian-copula too; the other methods always do"},
             output_option("pairs and local-total-correlation: write the matrix, or one number per row, as "
                           "CSV or NPY by the file's extension")}}},
      .examples = {"gaussianize measure total-correlation --permutations 19",
                   "gaussianize generate gaussian-copula -n 500 --dimension 3 -o copula.csv",
                   "gaussianize measure mutual-information copula.csv --x x0 --y x1,x2 --units bits --permutations 19",
                   "gaussianize measure pairs copula.csv --permutations 19",
                   "gaussianize measure local-total-correlation copula.csv -o local.csv",
                   "gaussianize measure entropy copula.csv --json -"},
      .run = run_measure};
}

}  // namespace gaussianize
