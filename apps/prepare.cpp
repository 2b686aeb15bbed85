#include "paper/prepare.hpp"

#include <cmath>
#include <filesystem>
#include <functional>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/io/table.hpp"
#include "gaussianize/math/estimate.hpp"

#include "cli/exit_codes.hpp"
#include "cli/json.hpp"
#include "cli/text_table.hpp"
#include "commands.hpp"
#include "paper/paper_sets.hpp"
#include "paper/raw_sets.hpp"

namespace gaussianize {
using namespace detail;
namespace {

namespace fs = std::filesystem;

/// The raw file of that name in a folder, gzipped where the reader takes that. Throws FileError if there is
/// none.
fs::path raw_file(const fs::path& folder, const std::string& name, bool gzipped = false) {
  if (fs::is_regular_file(folder)) return folder;
  for (const fs::path& path : {folder / name, folder / (name + ".gz")})
    if (fs::exists(path) && (gzipped || path.extension() != ".gz")) return path;
  if (fs::exists(folder / (name + ".gz"))) throw FileError(concat((folder / name).string(), ".gz: unpack it first"));
  throw FileError(concat(folder.string(), ": there is no ", name, "; datasets/README.md says where to get it"));
}

PreparedSet power(const Arguments& arguments, const fs::path& folder) {
  const HouseholdPower raw = read_household_power(raw_file(folder, "household_power_consumption.txt"));
  arguments.say(raw.dropped, " rows with missing values left out");
  return prepare_power(raw.values);
}

PreparedSet gas(const Arguments& arguments, const fs::path& folder) {
  return prepare_gas(read_ethylene(raw_file(folder, "ethylene_CO.txt")), {.seed = arguments.seed()});
}

PreparedSet hepmass(const Arguments&, const fs::path& folder) {
  return prepare_hepmass(read_hepmass(raw_file(folder, "1000_train.csv")),
                         read_hepmass(raw_file(folder, "1000_test.csv")));
}

PreparedSet miniboone(const Arguments&, const fs::path& folder) {
  const MinibooneEvents raw = read_miniboone(raw_file(folder, "MiniBooNE_PID.txt"));
  return prepare_miniboone(raw.values, raw.signal);
}

PreparedSet bsds300(const Arguments&, const fs::path& folder) {
  const Bsds300Parts raw = read_bsds300(raw_file(folder, "BSDS300.hdf5"));
  return prepare_bsds300(raw.train, raw.validation, raw.test);
}

PreparedSet images(const Arguments& arguments, const fs::path& folder, double lambda) {
  const auto read = [&](const char* name) { return read_table(raw_file(folder, name, true)).values; };
  return prepare_images(read("train-images-idx3-ubyte"), read("t10k-images-idx3-ubyte"),
                        {.lambda = lambda, .seed = arguments.seed()});
}

PreparedSet prepare(const Arguments& arguments, const PaperSet& set, const fs::path& folder) {
  if (set.name == "power") return power(arguments, folder);
  if (set.name == "gas") return gas(arguments, folder);
  if (set.name == "hepmass") return hepmass(arguments, folder);
  if (set.name == "miniboone") return miniboone(arguments, folder);
  if (set.name == "bsds300") return bsds300(arguments, folder);
  return images(arguments, folder, logit_lambda(set));
}

std::string shape(std::size_t rows, std::size_t columns) {
  return concat(rows, " × ", columns);
}

int list_sets(const Arguments& arguments) {
  Json json = begin_json(arguments);
  json["sets"] = Json::array();
  std::vector<std::vector<std::string>> table{{"set", "training rows", "validation rows", "test rows", "columns"}};
  for (const PaperSet& set : paper_sets()) {
    table.push_back({std::string(set.name), std::to_string(set.train_rows), std::to_string(set.validation_rows),
                     std::to_string(set.test_rows), std::to_string(set.columns)});
    json["sets"].push_back({{"name", set.name},
                            {"train_rows", set.train_rows},
                            {"validation_rows", set.validation_rows},
                            {"test_rows", set.test_rows},
                            {"columns", set.columns}});
  }
  write_json(arguments, json);
  print(arguments, text_table(table));
  return exit_done;
}

/// Shapes and the loss of a normal distribution, ours beside the published ones: the quickest proof that a preparation
/// is right.
void report(const Arguments& arguments, const PaperSet& set, const PreparedSet& made, const fs::path& folder) {
  Json json = begin_json(arguments);
  json["set"] = set.name;
  json["output"] = folder.string();
  std::vector<std::vector<std::string>> table{{"", "here", "published"}};
  const auto part = [&](const char* name, const arma::mat& rows, std::size_t published) {
    table.push_back({name, shape(rows.n_rows, rows.n_cols), shape(published, set.columns)});
    json["shapes"][name] = {rows.n_rows, rows.n_cols};
  };
  part("train", made.train, set.train_rows);
  part("val", made.validation, set.validation_rows);
  part("test", made.test, set.test_rows);
  const Estimate nll = mean_estimate(
      -log_density(fit_gaussian(made.train, arguments.threads()), made.test, {.threads = arguments.threads()}));
  table.push_back({"Gaussian, test NLL in nats", with_error(nll, 3),
                   set.gaussian_nll ? fixed(*set.gaussian_nll, 2) : std::string("–")});
  json["gaussian_test_nll"] = nll.value;
  json["gaussian_test_nll_se"] = nll.standard_error;
  json["published_gaussian_test_nll"] = set.gaussian_nll ? Json(*set.gaussian_nll) : Json(nullptr);
  const bool whole = made.train.n_rows == set.train_rows && made.validation.n_rows == set.validation_rows &&
                     made.test.n_rows == set.test_rows;
  json["as_published"] = whole;
  write_json(arguments, json);
  print(arguments, text_table(table));
  if (!whole)
    arguments.say(
        "note: not the published numbers of rows: the raw files are incomplete, or of another version; losses "
        "will not compare with the paper's");
}

int run_prepare(const Arguments& arguments) {
  if (arguments.flag("list")) return list_sets(arguments);
  if (arguments.positionals() < 2)
    arguments.refuse("give the set and the folder of its raw files: prepare power downloads");
  const PaperSet& set = find_paper_set(arguments.positional(0));
  const PreparedSet made = prepare(arguments, set, arguments.positional(1));
  const fs::path folder =
      arguments.given("output") ? fs::path(arguments.text("output")) : fs::path("datasets/prepared") / set.name;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(concat(folder.string(), ": cannot be created: ", error.message()));
  write_table({{}, made.train}, folder / "train.npy");
  write_table({{}, made.validation}, folder / "val.npy");
  write_table({{}, made.test}, folder / "test.npy");
  report(arguments, set, made, folder);
  return exit_done;
}

std::vector<std::string_view> set_names() {
  std::vector<std::string_view> names;
  for (const PaperSet& set : paper_sets()) names.push_back(set.name);
  return names;
}

}  // namespace

Command prepare_command() {
  return {.name = "prepare",
          .summary = "the paper's data sets from their raw files",
          .description =
              "Turns the raw files of a data set, as their publishers give them, into train.npy, val.npy and test.npy, "
              "and shows shapes and the loss of a normal distribution beside the published ones. datasets/README.md "
              "says which "
              "files to get, and docs/data.md what is done with them.",
          .positionals = {{"SET", "which set; --list shows them", true, set_names()},
                          {"RAW", "the folder that holds the raw files", true}},
          .groups = {{"Preparing",
                      {{"list", OptionKind::flag, "list the sets with their published shapes"},
                       {"output", OptionKind::file, "the folder for the three files; else datasets/prepared/SET",
                        "FOLDER", "", 'o'}}}},
          .examples = {"gaussianize prepare --list"},
          .reads_tables = false,
          .run = run_prepare};
}

}  // namespace gaussianize
