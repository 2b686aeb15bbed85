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

int list_laws(const Arguments& arguments) {
  Json json = begin_json(arguments);
  json["laws"] = Json::array();
  std::ostringstream text;
  for (const ToyInfo& law : toys()) {
    json["laws"].push_back({{"name", law.name},
                            {"description", law.description},
                            {"dimension", law.dimension},
                            {"any_dimension", law.any_dimension}});
    text << std::left << std::setw(18) << law.name << law.description << '\n';
  }
  write_json(arguments, json);
  print(arguments, text.str());
  return exit_done;
}

int run_generate(const Arguments& arguments) {
  if (arguments.flag("list")) return list_laws(arguments);
  if (arguments.words() == 0) arguments.refuse("NAME is missing: a law of 'gaussianize generate --list'");
  if (arguments.count("rows") == 0) arguments.refuse("-n is missing or 0; say how many rows to draw: -n 1000");
  check_law(arguments, arguments.word(0));
  ToySample drawn =
      draw_rows(arguments, arguments.word(0), arguments.count("rows"), arguments.count("dimension"), arguments.seed());
  const std::string& density_path = arguments.text("true-log-density");
  if (!density_path.empty()) write_table({{"log_density"}, drawn.log_density}, density_path);
  Json json = begin_json(arguments);
  json["law"] = arguments.word(0);
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
      .summary = "rows of a built-in law, with their true log density",
      .description =
          "Draws rows from a law that density estimators are usually shown on, or one whose density is "
          "known exactly. Row i depends on the seed and on i alone.",
      .positionals = {{"NAME", "the law; --list says what they are", true, law_names()}},
      .groups =
          {{"Generating",
            {{"rows", OptionKind::count, "how many; required", "N", "", 'n'},
             {"dimension", OptionKind::count, "columns, for laws that can have any number; 0: the law's own", "D", "0"},
             {"true-log-density", OptionKind::written, "write the law's own log density of every row, in nats", "FILE"},
             {"list", OptionKind::flag, "list the laws"},
             output_option("write to a file, CSV, TSV or NPY by its name, instead of standard output")}}},
      .examples = {"gaussianize generate --list", "gaussianize generate two-spirals -n 5 --seed 1",
                   "gaussianize generate sine-chain -n 1000 --dimension 4 --true-log-density true.csv -o chain.csv"},
      .reads_tables = false,
      .run = run_generate};
}

}  // namespace gaussianize
