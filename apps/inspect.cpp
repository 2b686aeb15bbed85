#include <filesystem>
#include <map>
#include <sstream>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/checkpoint_file.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/detail/safetensors.hpp"
#include "gaussianize/io/detail/tensor_storage.hpp"

#include "cli/exit_codes.hpp"
#include "cli/json.hpp"
#include "cli/models.hpp"
#include "commands.hpp"

namespace gaussianize {
using namespace detail;
namespace {

struct LayerText {
  std::string operator()(const Identity&) const { return "identity"; }
  std::string operator()(const Orthogonal&) const { return "orthogonal matrix"; }
  std::string operator()(const Householder& rotation) const { return concat(rotation.v.n_cols, " reflections"); }
  std::string operator()(const PatchRotation& rotation) const {
    return concat("patches of ", rotation.patch, "×", rotation.patch, ", ", rotation.v.n_cols, " reflections each");
  }
  std::string operator()(const AffineMarginal&) const { return "affine"; }
  std::string operator()(const SplineMarginal& marginal) const {
    std::size_t knots = 0;
    for (const MonotoneSpline& table : marginal.columns) knots += table.position.size();
    return concat("kernel tables of ", knots, " knots in all");
  }
  std::string operator()(const LogisticMixture& marginal) const {
    return concat(marginal.logit.is_empty() ? "" : "weighted ", "mixtures of ", marginal.mu.n_rows, " kernels, by ",
                  marginal.link == Link::logit ? "logit" : "normal quantile");
  }
  std::string operator()(const LogisticToNormal&) const { return "logistic to normal"; }
};

bool is_checkpoint(const std::string& path) {
  const auto bytes = read_file(path);
  const TensorFile content = decode_safetensors(bytes, path);
  const auto format = content.metadata.find("format");
  return format != content.metadata.end() && format->second == checkpoint_kind.format;
}

void list(std::ostream& text, const char* title, const std::map<std::string, std::string>& entries) {
  if (entries.empty()) return;
  text << title << ":\n";
  for (const auto& [key, value] : entries) text << "  " << key << ": " << value << '\n';
}

void inspect_checkpoint(const std::string& path, Json& json, std::ostream& text) {
  const Checkpoint checkpoint = load_checkpoint(path);
  std::size_t numbers = 0;
  for (const auto& entry : checkpoint.tensors) numbers += entry.second.n_elem;
  json["kind"] = "checkpoint";
  json["tensors"] = checkpoint.tensors.size();
  json["numbers"] = numbers;
  json["metadata"] = checkpoint.metadata;
  text << "kind: checkpoint; fit --resume continues from it\ntensors: " << checkpoint.tensors.size() << ", " << numbers
       << " numbers\n";
  list(text, "metadata", checkpoint.metadata);
}

void inspect_model(const Model& model, Json& json, std::ostream& text) {
  json["kind"] = model.kind;
  json["dimension"] = model.flow.dimension;
  json["columns"] = model.columns;
  json["options"] = typed_json(model.options);
  json["summary"] = typed_json(model.summary);
  json["calibration_rows"] = model.calibration.size();
  text << "kind: " << model.kind << "\ncolumns: " << model.flow.dimension;
  for (std::size_t d = 0; d < model.columns.size(); ++d) text << (d > 0 ? ", " : ": ") << model.columns[d];
  text << '\n';
  list(text, "options", model.options);
  list(text, "summary", model.summary);
  text << "calibration: " << model.calibration.size() << " rows\nlayers: " << model.flow.layers.size() << '\n';
  json["layers"] = Json::array();
  for (std::size_t i = 0; i < model.flow.layers.size(); ++i) {
    const std::string rotation = std::visit(LayerText{}, model.flow.layers[i].rotation);
    const std::string marginal = std::visit(LayerText{}, model.flow.layers[i].marginal);
    json["layers"].push_back({{"rotation", rotation}, {"marginal", marginal}});
    text << "  " << i << ": " << rotation << ", " << marginal << '\n';
  }
}

int run_inspect(const Arguments& arguments) {
  const std::string& path = arguments.positional(0);
  Json json = begin_json(arguments);
  json["file"] = path;
  std::ostringstream text;
  if (path != "-") {
    const auto bytes = std::filesystem::exists(path) ? std::filesystem::file_size(path) : 0;
    json["bytes"] = bytes;
    text << "file: " << path << ", " << bytes << " bytes\n";
  }
  if (path != "-" && is_checkpoint(path))
    inspect_checkpoint(path, json, text);
  else
    inspect_model(read_model(path), json, text);
  write_json(arguments, json);
  print(arguments, text.str());
  return exit_done;
}

}  // namespace

Command inspect_command() {
  return {.name = "inspect",
          .summary = "the content of a model file or checkpoint",
          .description =
              "Reads and checks a model file or a checkpoint and prints its content: kind, columns, options and "
              "results of the fit, and layers.",
          .positionals = {{"MODEL", "a file written by fit; - is standard input"}},
          .groups = {},
          .examples = {"gaussianize generate pinwheel -n 500 | gaussianize fit - --model gaussian -o pin.model",
                       "gaussianize inspect pin.model"},
          .reads_tables = false,
          .run = run_inspect};
}

}  // namespace gaussianize
