#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/flow/flow.hpp"

#include "cli/exit_codes.hpp"
#include "cli/json.hpp"
#include "cli/models.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "commands.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// Gaussian space has as many columns as the data, by position.
std::vector<std::string> normal_names(std::size_t dimension) {
  std::vector<std::string> names;
  for (std::size_t d = 0; d < dimension; ++d) names.push_back(concat("z", d));
  return names;
}

int run_transform(const Arguments& arguments) {
  const std::string& path = arguments.positional(1);
  check_one_input(arguments, {arguments.positional(0), path});
  const Model model = read_model(arguments.positional(0));
  const std::size_t dimension = model.flow.dimension;
  ProgressBar bar("transform", arguments.quiet());
  const Execution execution{.threads = arguments.threads(), .progress = bar.callback()};
  Table table;
  if (arguments.flag("inverse"))
    table = {column_names(model), inverse(model.flow,
                                          match_columns(arguments, {normal_names(dimension), dimension},
                                                        "Gaussian space", load_table(arguments, path), path),
                                          execution)};
  else
    table = {normal_names(dimension), forward(model.flow, load_rows_for(arguments, model, path), execution).z};
  Json json = begin_json(arguments);
  json["model"] = model.kind;
  json["inverse"] = arguments.flag("inverse");
  write_rows(arguments, table, json);
  write_json(arguments, json);
  return exit_done;
}

}  // namespace

Command transform_command() {
  return {
      .name = "transform",
      .summary = "data to Gaussian space and, with --inverse, back",
      .description =
          "Maps each row to Gaussian space: data that follow the model's distribution become independent "
          "standard normal columns z0, z1, …. With --inverse it maps rows of such columns back to data, "
          "exactly.",
      .positionals = {{"MODEL", "a model file written by fit; - is standard input"},
                      {"DATA", "the rows to transform; - is standard input"}},
      .groups = {{"Transforming",
                  {{"inverse", OptionKind::flag, "from Gaussian space to data"},
                   output_option("write to a file, as CSV, TSV or NPY by its extension, instead of standard output")}}},
      .examples = {"gaussianize generate pinwheel -n 500 -o pin.csv",
                   "gaussianize fit pin.csv --model rbig --layers 5 -o pin.model",
                   "gaussianize transform pin.model pin.csv -o normal.csv",
                   "gaussianize transform pin.model normal.csv --inverse -o again.csv"},
      .run = run_transform};
}

}  // namespace gaussianize
