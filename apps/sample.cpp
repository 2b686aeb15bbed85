#include "gaussianize/flow/flow.hpp"

#include "cli/exit_codes.hpp"
#include "cli/json.hpp"
#include "cli/models.hpp"
#include "cli/progress.hpp"
#include "commands.hpp"

namespace gaussianize {
using namespace detail;
namespace {

int run_sample(const Arguments& arguments) {
  if (arguments.count("rows") == 0) arguments.refuse("-n is missing or 0; give the number of rows to draw: -n 1000");
  const Model model = read_model(arguments.positional(0));
  ProgressBar bar("sample", arguments.quiet());
  std::size_t redrawn = 0;
  const Table table{column_names(model),
                    sample(model.flow, arguments.count("rows"), arguments.seed(),
                           {.threads = arguments.threads(), .progress = bar.callback()}, &redrawn)};
  if (redrawn > 0)
    arguments.say("note: ", redrawn,
                  " draws exceeded the largest floating-point number and were drawn again: the model's tails are ",
                  "too heavy for its extreme values to be meaningful",
                  model.kind == "gf" ? "; fit it with --layer straight" : "");
  Json json = begin_json(arguments);
  json["model"] = model.kind;
  json["redrawn"] = redrawn;
  write_rows(arguments, table, json);
  write_json(arguments, json);
  return exit_done;
}

}  // namespace

Command sample_command() {
  return {
      .name = "sample",
      .summary = "rows drawn from a model",
      .description =
          "Draws rows from a model's density and prints them as CSV under the names of the model's "
          "columns. The rows depend only on the model and the seed, and a longer sample begins with the "
          "rows of a shorter one.",
      .positionals = {{"MODEL", "a model file written by fit; - is standard input"}},
      .groups = {{"Sampling",
                  {{"rows", OptionKind::count, "number of rows; required", "N", "", 'n'},
                   output_option("write to a file, as CSV, TSV or NPY by its extension, instead of standard output")}}},
      .examples = {"gaussianize generate pinwheel -n 500 | gaussianize fit - --model rbig --layers 5 -o pin.model",
                   "gaussianize sample pin.model -n 1000 --seed 7 -o drawn.csv"},
      .reads_tables = false,
      .run = run_sample};
}

}  // namespace gaussianize
