#include <charconv>
#include <functional>
#include <utility>

#include "gaussianize/core/error.hpp"
#include "gaussianize/io/checksum.hpp"
#include "gaussianize/io/json_text.hpp"
#include "gaussianize/io/model_bytes.hpp"
#include "gaussianize/io/table_members.hpp"
#include "gaussianize/io/tensor_values.hpp"

namespace gaussianize {
namespace {

std::string in_words(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t extent : shape) text.append(text.empty() ? "" : "×").append(std::to_string(extent));
  return text.empty() ? "scalar" : text;
}

/// A file's content, of which each part is taken once, so that what remains is what does not belong.
class Content {
 public:
  Content(TensorFile content, std::string name) : content_(std::move(content)), name_(std::move(name)) {}

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw FileError(concat(name_, ": ", parts...));
  }

  const std::string& text(const std::string& key) const {
    const auto place = content_.metadata.find(key);
    if (place == content_.metadata.end())
      fail("its metadata lack \"", key, "\", so it is no complete model; save the model again");
    return place->second;
  }

  std::uint64_t count(const std::string& key) const {
    const std::string& digits = text(key);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size())
      fail("its metadata \"", key, "\" are ", shown(digits), ", which is no whole number; save the model again");
    return number;
  }

  std::vector<std::string> list(const std::string& key) const {
    auto items = parse_json_list(text(key));
    if (!items) fail("its metadata \"", key, "\" are not a JSON list of strings; save the model again");
    return std::move(*items);
  }

  std::map<std::string, std::string> map(const std::string& key) const {
    auto items = parse_json_map(text(key));
    if (!items) fail("its metadata \"", key, "\" are not a JSON object of strings; save the model again");
    return std::move(*items);
  }

  template <class T>
  std::vector<T> take(const std::string& tensor, const std::vector<std::uint64_t>& shape) {
    const auto place = content_.tensors.find(tensor);
    if (place == content_.tensors.end()) fail("lacks tensor ", tensor, "; save the model again");
    const TensorView view = std::move(place->second);
    content_.tensors.erase(place);
    if (view.type != tensor_type_of<T>() || view.shape != shape)
      fail("tensor ", tensor, " is ", name_of(view.type), " ", in_words(view.shape), " where the model needs ",
           name_of(tensor_type_of<T>()), " ", in_words(shape), "; save the model again");
    return tensor_values<T>(view);
  }

  void check_all_taken() const {
    if (!content_.tensors.empty())
      fail("holds tensor ", shown(content_.tensors.begin()->first),
           ", which no layer of the model needs; save the model again");
  }

 private:
  TensorFile content_;
  std::string name_;
};

/// Fills the members of a layer's tables from `content`.
struct TableReader {
  Content& content;
  std::uint64_t dimension;
  std::size_t layer;
  std::vector<MonotoneTable> columns{};
  std::vector<std::uint64_t> offsets{};

  std::string tensor(const std::string& name) const { return layer_tensor(layer, "table." + name); }

  template <class Vector>
  void group(const std::string& name, Vector) {
    const std::string full = tensor(name + ".offsets");
    offsets = content.take<std::uint64_t>(full, {dimension + 1});
    bool rising = offsets.front() == 0;
    for (std::size_t d = 0; d < dimension; ++d) rising = rising && offsets[d] <= offsets[d + 1];
    if (!rising) content.fail("tensor ", full, " must rise from 0; save the model again");
    columns.resize(dimension);
  }

  template <class Vector, class Field>
  void list(const std::string& name, Vector vector, Field field) {
    using T = std::decay_t<decltype(std::invoke(field, std::invoke(vector, columns.front()).front()))>;
    const auto joined = content.take<T>(tensor(name), {offsets.back()});
    for (std::size_t d = 0; d < dimension; ++d) {
      auto& elements = std::invoke(vector, columns[d]);
      elements.resize(offsets[d + 1] - offsets[d]);
      for (std::size_t i = 0; i < elements.size(); ++i) std::invoke(field, elements[i]) = joined[offsets[d] + i];
    }
  }

  template <class Member>
  void scalar(const std::string& name, Member member) {
    using T = std::decay_t<decltype(std::invoke(member, columns.front()))>;
    const auto joined = content.take<T>(tensor(name), {dimension});
    for (std::size_t d = 0; d < dimension; ++d) std::invoke(member, columns[d]) = joined[d];
  }
};

struct LayerReader {
  Content& content;
  std::uint64_t dimension;
  std::size_t layer;

  Rotation rotation(std::string_view kind) const {
    if (kind == "identity") return Identity{};
    if (kind != "orthogonal") content.fail("layer ", layer, " has an unknown rotation ", shown(kind));
    const auto by_rows = content.take<double>(layer_tensor(layer, "rotation.q"), {dimension, dimension});
    return Orthogonal{arma::mat(by_rows.data(), dimension, dimension).st()};
  }

  Marginal marginal(std::string_view kind) const {
    if (kind == "affine") {
      AffineMarginal marginal;
      marginal.shift = arma::rowvec(content.take<double>(layer_tensor(layer, "affine.shift"), {dimension}));
      marginal.scale = arma::rowvec(content.take<double>(layer_tensor(layer, "affine.scale"), {dimension}));
      return marginal;
    }
    if (kind != "tables") content.fail("layer ", layer, " has an unknown marginal ", shown(kind));
    TableReader reader{content, dimension, layer};
    visit_table_members(reader);
    return TabulatedMarginal{std::move(reader.columns)};
  }

  Layer read(const std::string& kinds) const {
    const std::size_t space = kinds.find(' ');
    if (space == std::string::npos)
      content.fail("layer ", layer, " is ", shown(kinds), ", not a rotation and a marginal; save the model again");
    const std::string_view words = kinds;
    return {rotation(words.substr(0, space)), marginal(words.substr(space + 1))};
  }
};

/// First of all: what comes later may well look different in another version.
void check_format(const TensorFile& file, const Content& content) {
  const auto format = file.metadata.find("format");
  if (format == file.metadata.end() || format->second != model_format)
    content.fail("is a safetensors file, but not a gaussianize model; give a file that gaussianize saved");
  const std::uint64_t version = content.count("format_version");
  if (version > model_format_version)
    content.fail("made by a newer version: upgrade gaussianize (the file has format ", version,
                 ", this program reads format ", model_format_version, ")");
  if (version < model_format_version) content.fail("has format version ", version, ", which never existed");
}

Flow read_flow(Content& content) {
  Flow flow;
  flow.dimension = content.count("dimension");
  const auto structure = content.list("structure");
  if (structure.size() != content.count("layers"))
    content.fail("its metadata speak of ", content.count("layers"), " layers and describe ", structure.size(),
                 "; save the model again");
  // A dimension that no data stand behind must not overflow the sizes computed from it.
  if (flow.dimension > UINT32_MAX) content.fail("claims to have ", flow.dimension, " columns; save the model again");
  for (std::size_t i = 0; i < structure.size(); ++i)
    flow.layers.push_back(LayerReader{content, flow.dimension, i}.read(structure[i]));
  content.check_all_taken();
  return flow;
}

}  // namespace

Model decode_model(std::span<const std::byte> file, const std::string& name) {
  TensorFile tensors = decode_safetensors(file, name);
  check_format(tensors, Content({tensors.metadata, {}}, name));
  check_seal(file, name);

  Content content(std::move(tensors), name);
  Model model;
  model.flow = read_flow(content);
  model.kind = content.text("kind");
  model.columns = content.list("columns");
  model.options = content.map("options");
  model.summary = content.map("summary");
  const std::string problem = model_problem(model);
  if (!problem.empty()) content.fail(problem, "; save the model again");
  return model;
}

}  // namespace gaussianize
