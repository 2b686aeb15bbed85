#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

#include "cli/exit_codes.hpp"
#include "cli/json.hpp"
#include "cli/text_table.hpp"
#include "commands.hpp"
#include "paper/run.hpp"
#include "report/report.hpp"

namespace gaussianize {
using namespace detail;
namespace {

using namespace paper;

const Experiment& find_experiment(const Arguments& arguments) {
  for (const Experiment& experiment : experiments())
    if (experiment.name == arguments.positional(0)) return experiment;
  arguments.refuse("there is no experiment '", arguments.positional(0), "'");
}

std::string rounded(double value, int digits) {
  return std::isnan(value) ? "" : fixed(value, digits);
}

/// All numbers of a ledger, ours beside the paper's.
report::Table numbers_table(const Ledger& ledger) {
  report::Table table{.caption = "All numbers, ours beside the paper's",
                      .header = {"set", "model", "variant", "quantity", "ours", "± s.e.", "paper", "seconds", ""},
                      .text_columns = 4};
  for (const auto& [key, cell] : ledger.cells())
    for (const Record& r : cell.records)
      table.rows.push_back({r.set, r.model, r.variant, r.quantity, rounded(r.value.value, 3),
                            rounded(r.value.standard_error, 3), rounded(r.paper, 2), rounded(cell.seconds, 1),
                            cell.complete ? "" : "unfinished"});
  return table;
}

void write_page(const Run& run, const Experiment& experiment) {
  report::Page page{.title = concat("gaussianize reproduce ", experiment.name),
                    .intro = {std::string(experiment.summary)}};
  if (run.scale() < 1)
    page.intro.push_back(
        concat("Run at scale ", run.scale(), " of the paper's work: fewer epochs and, below that, fewer rows."));
  report::Section numbers{.heading = "Numbers", .tables = {numbers_table(run.ledger())}};
  for (const auto& [key, cell] : run.ledger().cells())
    for (const std::string& note : cell.notes) numbers.paragraphs.push_back(key + ": " + note);
  page.sections.push_back(std::move(numbers));
  for (report::Section& section : experiment.present(run)) page.sections.push_back(std::move(section));
  const report::RenderedPage rendered = report::render(page);
  for (const std::string& problem : rendered.problems) run.arguments().say("note: ", problem);
  report::write_report({rendered.html, rendered.problems}, run.output() / "report.html");
}

void print_numbers(const Run& run) {
  const report::Table table = numbers_table(run.ledger());
  std::vector<std::vector<std::string>> rows{table.header};
  rows.insert(rows.end(), table.rows.begin(), table.rows.end());
  print(run.arguments(), text_table(rows));
}

void write_result(const Run& run, const Experiment& experiment, bool complete) {
  Json json = begin_json(run.arguments());
  json["experiment"] = experiment.name;
  json["scale"] = run.scale();
  json["complete"] = complete;
  json["output"] = run.output().string();
  json["records"] = Json::array();
  for (const auto& [key, cell] : run.ledger().cells())
    for (const Record& r : cell.records)
      json["records"].push_back({{"cell", key},
                                 {"set", r.set},
                                 {"model", r.model},
                                 {"variant", r.variant},
                                 {"quantity", r.quantity},
                                 {"value", r.value.value},
                                 {"standard_error", r.value.standard_error},
                                 {"paper", r.paper},
                                 {"seconds", cell.seconds},
                                 {"complete", cell.complete}});
  write_json(run.arguments(), json);
}

int run_experiment(const Arguments& arguments) {
  const Experiment& experiment = find_experiment(arguments);
  Run run(arguments, std::string(experiment.name));
  experiment.run(run);
  if (run.ledger().cells().empty() && run.passed_over() > 0)
    arguments.refuse("--only ", arguments.text("only"), ": none of the ", run.passed_over(),
                     " parts' names holds that; without it all of them run");
  if (run.ledger().cells().empty() && !run.stopped())
    throw DataError(concat("reproduce ", experiment.name, ": none of its data sets is in ", arguments.text("data"),
                           "; datasets/README.md says how to get them, --data where they are"));
  run.ledger().write_csv();
  write_page(run, experiment);
  const auto& cells = run.ledger().cells();
  const bool complete = !run.stopped() && std::all_of(cells.begin(), cells.end(),
                                                      [](const auto& entry) { return entry.second.complete; });
  write_result(run, experiment, complete);
  print_numbers(run);
  arguments.say("results: ", run.output().string(), "/report.html, results.csv, results.json");
  if (!complete) arguments.say("not all is done: the same command goes on from here");
  return run.interrupted_by_user() ? exit_interrupted : exit_done;
}

std::vector<std::string_view> experiment_names() {
  std::vector<std::string_view> names;
  for (const Experiment& experiment : experiments()) names.push_back(experiment.name);
  return names;
}

/// A paragraph that lists them.
std::string_view description() {
  static const std::string text = [] {
    std::string all =
        "Runs an experiment of the paper (Meng, Song, Song and Ermon 2020) and puts its numbers beside the paper's. "
        "Results, after every fit, go to OUTPUT/EXPERIMENT: report.html, results.csv and results.json. A run that is "
        "stopped, by Ctrl-C, --budget or a power cut, goes on where it was when the same command is given again.\n\n";
    for (const Experiment& experiment : experiments())
      all += concat(experiment.name, ": ", experiment.summary, ".\n\n");
    return all +
           "Data sets are looked for in DATA/NAME, as the command prepare writes them; images there in their IDX "
           "files, "
           "as published.";
  }();
  return text;
}

}  // namespace

namespace paper {

const std::vector<Experiment>& experiments() {
  static const std::vector<Experiment> table{
      toys_experiment(),      tabular_experiment(), images_experiment(), initialisation_experiment(),
      stretched_experiment(), small_experiment(),   rbig_experiment()};
  return table;
}

}  // namespace paper

Command reproduce_command() {
  return {.name = "reproduce",
          .summary = "the paper's experiments, each as a table beside the paper's numbers",
          .description = description(),
          .positionals = {{"EXPERIMENT", "which one", false, experiment_names()}},
          .groups = {{"Experiment",
                      {{"data", OptionKind::file, "the folder of prepared data sets", "DATA", "datasets/prepared"},
                       {"output", OptionKind::file, "the folder for results", "OUTPUT", "reproduction", 'o'},
                       {"scale", OptionKind::number,
                        "the share of the paper's work to do, in (0, 1]: fewer epochs and, below 5 epochs, fewer rows",
                        "S", "1"},
                       {"budget", OptionKind::number,
                        "stop after so many minutes with what there is; the same command goes on; 0: no limit",
                        "MINUTES", "0"},
                       {"only", OptionKind::text, "only the parts whose name, as shown while they run, holds this text",
                        "TEXT", ""}}}},
          .examples = {"gaussianize reproduce toys --scale 0.002 -o results"},
          .reads_tables = false,
          .run = run_experiment};
}

}  // namespace gaussianize
