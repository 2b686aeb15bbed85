#include "gaussianize/io/detail/model_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>

#include "gaussianize/core/detail/in_context.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/json_text.hpp"
#include "gaussianize/io/detail/spline_members.hpp"
#include "gaussianize/io/detail/tensor_storage.hpp"
#include "gaussianize/rotation/detail/check_sizes.hpp"

namespace gaussianize::detail {
namespace {

/// Adds the members of a layer's splines to `tensors`.
struct TableWriter {
  TensorWriter& tensors;
  const std::vector<MonotoneSpline>& columns;
  std::size_t layer;

  std::string tensor(const std::string& name) const { return layer_tensor(layer, "table." + name); }

  template <class Vector>
  void group(const std::string& name, Vector vector) {
    std::vector<std::uint64_t> offsets{0};
    for (const MonotoneSpline& spline : columns) offsets.push_back(offsets.back() + std::invoke(vector, spline).size());
    tensors.add(tensor(name + ".offsets"), std::move(offsets));
  }

  template <class Vector, class Field>
  void list(const std::string& name, Vector vector, Field field) {
    std::vector<std::decay_t<decltype(std::invoke(field, std::invoke(vector, columns.front()).front()))>> joined;
    for (const MonotoneSpline& spline : columns)
      for (const auto& element : std::invoke(vector, spline)) joined.push_back(std::invoke(field, element));
    tensors.add(tensor(name), std::move(joined));
  }

  template <class Member>
  void scalar(const std::string& name, Member member) {
    std::vector<std::decay_t<decltype(std::invoke(member, columns.front()))>> joined;
    for (const MonotoneSpline& spline : columns) joined.push_back(std::invoke(member, spline));
    tensors.add(tensor(name), std::move(joined));
  }
};

/// Adds one half of a layer and returns its name in the metadata's "structure".
struct LayerWriter {
  TensorWriter& tensors;
  std::size_t layer;

  std::string operator()(const Identity&) const { return "identity"; }

  std::string operator()(const Orthogonal& rotation) const {
    tensors.add(layer_tensor(layer, "rotation.q"), rotation.q);
    return "orthogonal";
  }

  std::string operator()(const Householder& rotation) const {
    tensors.add(layer_tensor(layer, "rotation.v"), rotation.v);
    return "householder";
  }

  std::string operator()(const PatchRotation& rotation) const {
    tensors.add_scalar<std::uint64_t>(layer_tensor(layer, "rotation.side"), rotation.side);
    tensors.add_scalar<std::uint64_t>(layer_tensor(layer, "rotation.patch"), rotation.patch);
    tensors.add_scalar<std::uint64_t>(layer_tensor(layer, "rotation.shift"), rotation.shift);
    tensors.add_scalar<std::uint8_t>(layer_tensor(layer, "rotation.vertical"), rotation.vertical ? 1 : 0);
    tensors.add(layer_tensor(layer, "rotation.v"), rotation.v);
    return "patch";
  }

  std::string operator()(const AffineMarginal& marginal) const {
    const auto values = [](const arma::rowvec& v) { return std::vector<double>(v.begin(), v.end()); };
    tensors.add(layer_tensor(layer, "affine.shift"), values(marginal.shift));
    tensors.add(layer_tensor(layer, "affine.scale"), values(marginal.scale));
    return "affine";
  }

  std::string operator()(const SplineMarginal& marginal) const {
    TableWriter writer{tensors, marginal.columns, layer};
    const bool straight = std::any_of(marginal.columns.begin(), marginal.columns.end(),
                                      [](const MonotoneSpline& t) { return t.lower.straight || t.upper.straight; });
    visit_spline_members(writer, straight);
    return straight ? "straight_tables" : "tables";
  }

  std::string operator()(const LogisticMixture& marginal) const {
    const bool weighted = !marginal.logit.is_empty();
    tensors.add(layer_tensor(layer, "mixture.mu"), marginal.mu);
    tensors.add(layer_tensor(layer, "mixture.log_scale"), marginal.log_scale);
    if (weighted) tensors.add(layer_tensor(layer, "mixture.logit"), marginal.logit);
    return mixture_name(marginal.link, weighted);
  }

  std::string operator()(const LogisticToNormal&) const { return "logistic_to_normal"; }
};

/// Calls `check`; what it refuses is the file's fault.
template <class Check>
void check_content(const TensorReader& content, Check check) {
  try {
    check();
  } catch (const std::invalid_argument& error) {
    content.fail_unsound(error.what());
  }
}

/// Fills the members of a layer's splines from `content`.
struct TableReader {
  TensorReader& content;
  std::uint64_t dimension;
  std::size_t layer;
  std::vector<MonotoneSpline> columns{};
  std::vector<std::uint64_t> offsets{};

  std::string tensor(const std::string& name) const { return layer_tensor(layer, "table." + name); }

  template <class Vector>
  void group(const std::string& name, Vector) {
    const std::string full = tensor(name + ".offsets");
    offsets = content.take<std::uint64_t>(full, {dimension + 1});
    bool rising = offsets.front() == 0;
    for (std::size_t d = 0; d < dimension; ++d) rising = rising && offsets[d] <= offsets[d + 1];
    // The largest number is any_extent, which every tensor would match.
    if (!rising || offsets.back() == any_extent) content.fail_unsound("tensor ", full, " must rise from 0");
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
  TensorReader& content;
  std::uint64_t dimension;
  std::size_t layer;

  Rotation rotation(std::string_view kind) const {
    if (kind == "identity") return Identity{};
    if (kind == "orthogonal") return Orthogonal{content.take_matrix(tensor("rotation.q"), dimension, dimension)};
    if (kind == "householder") return Householder{content.take_matrix(tensor("rotation.v"), dimension, any_extent)};
    if (kind == "patch") return patch_rotation();
    content.fail("layer ", layer, " has an unknown rotation ", in_quotes(kind));
  }

  PatchRotation patch_rotation() const {
    PatchRotation rotation;
    rotation.side = content.take_scalar<std::uint64_t>(tensor("rotation.side"));
    rotation.patch = content.take_scalar<std::uint64_t>(tensor("rotation.patch"));
    rotation.shift = content.take_scalar<std::uint64_t>(tensor("rotation.shift"));
    const auto vertical = content.take_scalar<std::uint8_t>(tensor("rotation.vertical"));
    if (vertical > 1) content.fail_unsound(tensor("rotation.vertical"), " is ", int{vertical}, ", it must be 0 or 1");
    rotation.vertical = vertical == 1;
    check_content(content, [&] {
      require(rotation.side <= UINT16_MAX && gaussianize::dimension(rotation) == dimension, tensor("rotation.side"),
              " is ", rotation.side, "; its square must be the model's ", dimension, " columns");
      in_context([&] { check_grid(rotation); }, "layer ", layer);
    });
    const std::size_t across = rotation.side / rotation.patch;
    rotation.v = content.take_cube(tensor("rotation.v"), across * across, rotation.patch * rotation.patch, any_extent);
    return rotation;
  }

  Marginal marginal(std::string_view kind) const {
    if (kind == "affine") {
      AffineMarginal marginal;
      marginal.shift = arma::rowvec(content.take<double>(tensor("affine.shift"), {dimension}));
      marginal.scale = arma::rowvec(content.take<double>(tensor("affine.scale"), {dimension}));
      return marginal;
    }
    if (kind == "tables" || kind == "straight_tables") {
      TableReader reader{content, dimension, layer};
      visit_spline_members(reader, kind == "straight_tables");
      return SplineMarginal{std::move(reader.columns)};
    }
    if (kind == "logistic_to_normal") return LogisticToNormal{dimension};
    for (const Link link : {Link::probit, Link::logit})
      for (const bool weighted : {false, true})
        if (kind == mixture_name(link, weighted)) return mixture(link, weighted);
    content.fail("layer ", layer, " has an unknown marginal ", in_quotes(kind));
  }

  LogisticMixture mixture(Link link, bool weighted) const {
    LogisticMixture mixture;
    mixture.link = link;
    mixture.mu = content.take_matrix(tensor("mixture.mu"), any_extent, dimension);
    if (mixture.mu.is_empty()) content.fail_unsound(tensor("mixture.mu"), " has no kernels");
    mixture.log_scale = content.take_matrix(tensor("mixture.log_scale"), mixture.mu.n_rows, dimension);
    if (weighted) mixture.logit = content.take_matrix(tensor("mixture.logit"), mixture.mu.n_rows, dimension);
    return mixture;
  }

  Layer read(const std::string& kinds) const {
    const std::size_t space = kinds.find(' ');
    if (space == std::string::npos)
      content.fail_unsound("layer ", layer, " is ", in_quotes(kinds), ", not a rotation and a marginal");
    const std::string_view names = kinds;
    // The marginal first: it holds D numbers or more, so that D is known to be real before a rotation, which may hold
    // none, takes memory in proportion to it.
    Marginal second = marginal(names.substr(space + 1));
    return {rotation(names.substr(0, space)), std::move(second)};
  }

  std::string tensor(std::string_view member) const { return layer_tensor(layer, member); }
};

Flow read_flow(TensorReader& content) {
  Flow flow;
  flow.dimension = content.count("dimension");
  const auto structure = content.list("structure");
  if (structure.size() != content.count("layers"))
    content.fail_unsound("its metadata announce ", content.count("layers"), " layers and describe ", structure.size());
  // A dimension without data behind it must not overflow the sizes computed from it.
  if (flow.dimension < 1 || flow.dimension > UINT32_MAX)
    content.fail_unsound("claims to have ", flow.dimension, " columns");
  for (std::size_t i = 0; i < structure.size(); ++i)
    flow.layers.push_back(LayerReader{content, flow.dimension, i}.read(structure[i]));
  return flow;
}

}  // namespace

std::string layer_tensor(std::size_t layer, std::string_view member) {
  std::string number = std::to_string(layer);
  if (number.size() < 4) number.insert(0, 4 - number.size(), '0');
  return concat("layer.", number, ".", member);
}

std::string mixture_name(Link link, bool weighted) {
  return concat(weighted ? "weighted_" : "", link == Link::logit ? "logit_" : "", "mixture");
}

void check(const Model& model) {
  const std::size_t dimension = model.flow.dimension;
  require(dimension >= 1 && dimension <= UINT32_MAX, "it has ", dimension, " columns");
  require(model.columns.empty() || model.columns.size() == dimension, "it names ", model.columns.size(),
          " columns and has ", dimension);
  const auto& calibration = model.calibration;
  require(std::all_of(calibration.begin(), calibration.end(), [](double number) { return std::isfinite(number); }),
          "calibration holds a number that is not finite");
  require(std::is_sorted(calibration.begin(), calibration.end()), "calibration must not fall");
  gaussianize::check(model.flow);
}

std::vector<std::byte> encode_model(const Model& model) {
  in_context([&] { check(model); }, "the model cannot be saved");

  TensorWriter tensors;
  std::vector<std::string> structure;
  for (std::size_t i = 0; i < model.flow.layers.size(); ++i) {
    const Layer& layer = model.flow.layers[i];
    const LayerWriter writer{tensors, i};
    structure.push_back(std::visit(writer, layer.rotation) + " " + std::visit(writer, layer.marginal));
  }
  tensors.add("calibration", model.calibration);
  return tensors.file(model_kind, {{"kind", model.kind},
                                   {"dimension", std::to_string(model.flow.dimension)},
                                   {"layers", std::to_string(model.flow.layers.size())},
                                   {"structure", json_list(structure, "layer")},
                                   {"columns", json_list(model.columns, "column name")},
                                   {"options", json_map(model.options, "option")},
                                   {"summary", json_map(model.summary, "summary")}});
}

Model decode_model(std::span<const std::byte> file, const std::string& name) {
  TensorReader content(model_kind, file, name);
  Model model;
  model.flow = read_flow(content);
  model.calibration = content.take<double>("calibration", {any_extent});
  content.check_all_taken();
  model.kind = content.text("kind");
  model.columns = content.list("columns");
  model.options = content.map("options");
  model.summary = content.map("summary");
  check_content(content, [&] { check(model); });
  return model;
}

std::vector<std::byte> encode_checkpoint(const Checkpoint& checkpoint) {
  TensorWriter writer;
  for (const auto& [name, matrix] : checkpoint.tensors) writer.add(name, matrix);
  return writer.file(checkpoint_kind, {{"metadata", json_map(checkpoint.metadata, "metadata")}});
}

Checkpoint decode_checkpoint(std::span<const std::byte> file, const std::string& name) {
  TensorReader content(checkpoint_kind, file, name);
  Checkpoint checkpoint;
  checkpoint.metadata = content.map("metadata");
  for (const std::string& tensor : content.names())
    checkpoint.tensors[tensor] = content.take_matrix(tensor, any_extent, any_extent);
  return checkpoint;
}

}  // namespace gaussianize::detail
