#include "gaussianize/data/generate.hpp"

#include <iomanip>
#include <sstream>

#include "cli/exit_codes.hpp"
#include "cli/json.hpp"
#include "cli/tables.hpp"
#include "commands.hpp"

namespace gaussianize {
using namespace detail;
namespace {

int list_toys(const Arguments& arguments) {
  Json json = begin_json(arguments);
  json["distributions"] = Json::array();
  std::ostringstream text;
  for (const ToyInfo& toy : toys()) {
    json["distributions"].push_back({{"name", toy.name},
                                     {"description", toy.description},
                                     {"dimension", toy.dimension},
                                     {"any_dimension", toy.any_dimension}});
    text << std::left << std::setw(18) << toy.name << toy.description << '\n';
  }
  write_json(arguments, json);
  print(arguments, text.str());
  return exit_done;
}

int run_generate(const Arguments& arguments) {
  if (arguments.flag("list")) return list_toys(arguments);
  if (arguments.positionals() == 0)
    arguments.refuse("NAME is missing; 'gaussianize generate --list' shows the distributions");
  if (arguments.count("rows") == 0) arguments.refuse("-n is missing or 0; give the number of rows to draw: -n 1000");
  check_toy(arguments, arguments.positional(0));
  ToySample drawn = draw_rows(arguments, arguments.positional(0), arguments.count("rows"), arguments.count("dimension"),
                              arguments.seed());
  const std::string& density_path = arguments.text("true-log-density");
  if (!density_path.empty()) write_table({{"log_density"}, drawn.log_density}, density_path);
  Json json = begin_json(arguments);
  json["distribution"] = arguments.positional(0);
  json["units"] = "nats";
  json["mean_log_density"] = arma::mean(drawn.log_density);
  write_rows(arguments, {std::move(drawn.columns), std::move(drawn.x)}, json);
  write_json(arguments, json);
  return exit_done;
}

}  // namespace

Command generate_command() {
  return {
      .name = "generate",
      .summary = "rows of a built-in distribution, with their true log density",
      .description =
          "Draws rows from a distribution that density estimators are usually tested on, or from one whose density is "
          "known exactly. Row i depends only on the seed and on i.",
      .positionals = {{"NAME", "the distribution; --list describes them", true, toy_names()}},
      .groups = {{"Generating",
                  {{"rows", OptionKind::count, "number of rows; required", "N", "", 'n'},
                   {"dimension", OptionKind::count, "columns, for distributions of any dimension; 0: the default one",
                    "D", "0"},
                   {"true-log-density", OptionKind::written, "write the true log density of every row, in nats",
                    "FILE"},
                   {"list", OptionKind::flag, "list the distributions"},
                   output_option("write to a file, as CSV, TSV or NPY by its extension, instead of standard output")}}},
      .examples = {"gaussianize generate --list", "gaussianize generate two-spirals -n 5 --seed 1",
                   "gaussianize generate sine-chain -n 1000 --dimension 4 --true-log-density true.csv -o chain.csv"},
      .reads_tables = false,
      .run = run_generate};
}

}  // namespace gaussianize
