#include <algorithm>
#include <iomanip>
#include <sstream>

#include "gaussianize/core/error.hpp"
#include "gaussianize/info/anomaly.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/math/estimate.hpp"

#include "cli/exit_codes.hpp"
#include "cli/json.hpp"
#include "cli/models.hpp"
#include "cli/numbers.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "commands.hpp"
#include "fitting/fitting.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// Text for people and other programs, to where --output says.
void deliver(const Arguments& arguments, const std::string& text, Json& json) {
  const std::string& path = arguments.text("output");
  if (path.empty()) return print(arguments, text);
  if (path.ends_with(".npy") || path.ends_with(".gz"))
    arguments.refuse("--summary and --top are written as text; give --output a name such as scores.csv");
  json["output"] = path;
  if (path != "-") return write_file_atomically(path, std::as_bytes(std::span(text)));
  if (json_takes_output(arguments))
    arguments.refuse("--output - and --json - both ask for standard output; give one of them a file");
  print(arguments, text);
}

/// The number in the file of the i-th row that was kept.
arma::uword file_row(const TableReport& report, arma::uword i) {
  const auto& after = report.dropped_after;
  return i + static_cast<arma::uword>(std::upper_bound(after.begin(), after.end(), i) - after.begin());
}

/// As it stands between the quotes of a CSV cell.
std::string quotable(const std::string& text) {
  std::string doubled;
  for (const char c : text) doubled.append(c == '"' ? 2 : 1, c);
  return doubled;
}

/// Rows with their scores under the model.
struct Scores {
  arma::vec log_density;
  arma::vec tail;     ///< empty unless asked for
  arma::vec outside;  ///< 1 where the log density is below that of every calibration row
};

Scores score(const Arguments& arguments, const Model& model, const arma::mat& rows, const Execution& execution) {
  Scores scores{log_density(model.flow, rows, execution), {}, {}};
  if (!arguments.flag("tail") && arguments.count("top") == 0) return scores;
  if (model.calibration.empty()) {
    if (!arguments.flag("tail")) return scores;
    throw FileError("the model holds no calibration, so it has no tail probabilities; fit it again");
  }
  scores.tail = tail_probability(model.calibration, scores.log_density);
  scores.outside = arma::conv_to<arma::vec>::from(scores.log_density < model.calibration.front());
  const auto found = model.summary.find("calibration");
  if (found != model.summary.end() && found->second == "training rows")
    arguments.say("note: the model was calibrated on the rows it was fitted to: tail probabilities may be too small");
  if (model.calibration.size() < 99)
    arguments.say("note: the model was calibrated on ", model.calibration.size(), " rows: no tail probability below ",
                  std::setprecision(2), 1.0 / static_cast<double>(model.calibration.size() + 1), " is possible");
  return scores;
}

void report_summary(const Arguments& arguments, const Scores& scores, Json& json) {
  const Estimate mean = mean_estimate(scores.log_density);
  json["mean_log_density"] = mean.value;
  json["standard_error"] = mean.standard_error;
  json["rows"] = scores.log_density.n_elem;
  std::ostringstream text;
  text << std::setprecision(10) << "mean_log_density " << mean.value << "\nstandard_error " << mean.standard_error
       << "\nrows " << scores.log_density.n_elem << '\n';
  deliver(arguments, text.str(), json);
}

void report_top(const Arguments& arguments, const Model& model, const arma::mat& rows, const TableReport& report,
                const Scores& scores, const Execution& execution, Json& json) {
  const arma::uword count = std::min<arma::uword>(arguments.count("top"), rows.n_rows);
  const arma::uvec order = arma::stable_sort_index(scores.log_density);
  const arma::uvec worst = order.head(count);
  const auto explained = explain_rows(model.flow, rows.rows(worst), arguments.seed(), execution);
  const std::vector<std::string> names = column_names(model);
  std::ostringstream text;
  text << "row,log_density," << (scores.tail.is_empty() ? "" : "tail_probability,outside,") << "because\n";
  json["top"] = Json::array();
  for (arma::uword k = 0; k < count; ++k) {
    const arma::uword i = worst[k];
    Json entry;
    entry["row"] = file_row(report, i);
    entry["log_density"] = scores.log_density[i];
    text << file_row(report, i) << ',' << number_text(scores.log_density[i]);
    if (!scores.tail.is_empty()) {
      entry["tail_probability"] = scores.tail[i];
      entry["outside"] = scores.outside[i] > 0;
      text << ',' << number_text(scores.tail[i]) << ',' << (scores.outside[i] > 0 ? 1 : 0);
    }
    text << ",\"" << std::setprecision(4);
    for (std::size_t c = 0; c < std::min<std::size_t>(3, explained[k].size()); ++c) {
      const ColumnContribution& part = explained[k][c];
      text << (c > 0 ? "; " : "") << quotable(names[part.column]) << '=' << part.value << " (typical " << part.typical
           << ", " << part.nats << " nats)";
    }
    text << "\"\n";
    for (const ColumnContribution& part : explained[k])
      entry["contributions"].push_back(
          {{"column", names[part.column]}, {"value", part.value}, {"typical", part.typical}, {"nats", part.nats}});
    json["top"].push_back(std::move(entry));
  }
  deliver(arguments, text.str(), json);
}

/// One bare number per line; with the tail probability a table with a header.
void report_rows(const Arguments& arguments, const Scores& scores, Json& json) {
  Table table{{"log_density"}, scores.log_density};
  if (!scores.tail.is_empty())
    table = {{"log_density", "tail_probability", "outside"},
             arma::join_rows(scores.log_density, scores.tail, scores.outside)};
  else if (arguments.text("output").empty() || arguments.text("output") == "-")
    table.columns.clear();
  write_rows(arguments, table, json);
}

int run_score(const Arguments& arguments) {
  if (arguments.flag("summary") && (arguments.flag("tail") || arguments.given("top")))
    arguments.refuse("--summary is of all rows together; leave out --tail and --top");
  check_one_input(arguments, {arguments.positional(0), arguments.positional(1)});
  const Model model = read_model(arguments.positional(0));
  TableReport report;
  const arma::mat rows = load_rows_for(arguments, model, arguments.positional(1), &report);
  ProgressBar bar("score", arguments.quiet());
  const Execution execution{.threads = arguments.threads(), .progress = bar.callback()};
  const Scores scores = score(arguments, model, rows, execution);
  Json json = begin_json(arguments);
  json["model"] = model.kind;
  json["units"] = "nats";
  if (arguments.flag("summary"))
    report_summary(arguments, scores, json);
  else if (arguments.count("top") > 0)
    report_top(arguments, model, rows, report, scores, execution, json);
  else
    report_rows(arguments, scores, json);
  write_json(arguments, json);
  return exit_done;
}

}  // namespace

Command score_command() {
  return {
      .name = "score",
      .summary = "log density of each row of a table under a model, and how unusual that is",
      .description =
          "Prints one log density per row, in nats, in the order of the rows.\n\n"
          "--tail adds the tail probability: the probability that a new row of the distribution the model was fitted "
          "to has a log density as low or lower. At most 1 % of new rows score 0.01 or less. It is the rank of the row "
          "among the rows the model was calibrated with, (1 + those at or below)/(1 + all of them). The flag 'outside' "
          "is 1 where the row is below all of them.\n\n"
          "--top N lists the N least likely rows (numbered from 0 as they stand in DATA) and for each the columns that "
          "contribute most. A column's contribution, in nats, is what the log density gains if that column alone is "
          "replaced by the most likely of 64 typical values of the model: how much less likely the value is, given all "
          "other columns, than it could be.",
      .positionals = {{"MODEL", "a model file that fit wrote; - is standard input"},
                      {"DATA", "the rows to score; - is standard input"}},
      .groups = {{"Scoring",
                  {{"summary", OptionKind::flag, "print mean, standard error and number of rows instead of the rows"},
                   {"tail", OptionKind::flag, "add the tail probability of every row"},
                   {"top", OptionKind::count, "list the N least likely rows and the columns that contribute most", "N",
                    "0"},
                   output_option("write to a file, the rows as CSV or NPY by its name, instead of standard output")}}},
      .examples = {"gaussianize generate two-spirals -n 2000 -o spirals.csv",
                   "gaussianize fit spirals.csv --model rbig --layers 10 -o spirals.model",
                   "gaussianize score spirals.model spirals.csv --summary",
                   "gaussianize score spirals.model spirals.csv --tail -o scores.csv",
                   "gaussianize score spirals.model spirals.csv --top 3"},
      .run = run_score};
}

}  // namespace gaussianize
