#include <algorithm>
#include <functional>
#include <utility>

#include "gaussianize/core/detail/in_context.hpp"
#include "gaussianize/io/detail/json_text.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"
#include "gaussianize/io/detail/table_members.hpp"
#include "gaussianize/io/detail/tensor_builder.hpp"

namespace gaussianize::detail {
namespace {

/// Adds the members of a layer's tables to `builder`.
struct TableWriter {
  TensorBuilder& builder;
  const std::vector<MonotoneSpline>& columns;
  std::size_t layer;

  std::string tensor(const std::string& name) const { return layer_tensor(layer, "table." + name); }

  template <class Vector>
  void group(const std::string& name, Vector vector) {
    std::vector<std::uint64_t> offsets{0};
    for (const MonotoneSpline& table : columns) offsets.push_back(offsets.back() + std::invoke(vector, table).size());
    builder.add(tensor(name + ".offsets"), std::move(offsets));
  }

  template <class Vector, class Field>
  void list(const std::string& name, Vector vector, Field field) {
    std::vector<std::decay_t<decltype(std::invoke(field, std::invoke(vector, columns.front()).front()))>> joined;
    for (const MonotoneSpline& table : columns)
      for (const auto& element : std::invoke(vector, table)) joined.push_back(std::invoke(field, element));
    builder.add(tensor(name), std::move(joined));
  }

  template <class Member>
  void scalar(const std::string& name, Member member) {
    std::vector<std::decay_t<decltype(std::invoke(member, columns.front()))>> joined;
    for (const MonotoneSpline& table : columns) joined.push_back(std::invoke(member, table));
    builder.add(tensor(name), std::move(joined));
  }
};

/// Adds one half of a layer and returns its word in the metadata's "structure".
struct LayerWriter {
  TensorBuilder& builder;
  std::size_t layer;

  std::string operator()(const Identity&) const { return "identity"; }

  std::string operator()(const Orthogonal& rotation) const {
    builder.add(layer_tensor(layer, "rotation.q"), rotation.q);
    return "orthogonal";
  }

  std::string operator()(const Householder& rotation) const {
    builder.add(layer_tensor(layer, "rotation.v"), rotation.v);
    return "householder";
  }

  std::string operator()(const PatchRotation& rotation) const {
    builder.add_scalar<std::uint64_t>(layer_tensor(layer, "rotation.side"), rotation.side);
    builder.add_scalar<std::uint64_t>(layer_tensor(layer, "rotation.patch"), rotation.patch);
    builder.add_scalar<std::uint64_t>(layer_tensor(layer, "rotation.shift"), rotation.shift);
    builder.add_scalar<std::uint8_t>(layer_tensor(layer, "rotation.vertical"), rotation.vertical ? 1 : 0);
    builder.add(layer_tensor(layer, "rotation.v"), rotation.v);
    return "patch";
  }

  std::string operator()(const AffineMarginal& marginal) const {
    const auto values = [](const arma::rowvec& v) { return std::vector<double>(v.begin(), v.end()); };
    builder.add(layer_tensor(layer, "affine.shift"), values(marginal.shift));
    builder.add(layer_tensor(layer, "affine.scale"), values(marginal.scale));
    return "affine";
  }

  std::string operator()(const SplineMarginal& marginal) const {
    TableWriter writer{builder, marginal.columns, layer};
    const bool straight = std::any_of(marginal.columns.begin(), marginal.columns.end(),
                                      [](const MonotoneSpline& t) { return t.lower.straight || t.upper.straight; });
    visit_table_members(writer, straight);
    return straight ? "straight_tables" : "tables";
  }

  std::string operator()(const LogisticMixture& marginal) const {
    const bool weighted = !marginal.logit.is_empty();
    builder.add(layer_tensor(layer, "mixture.mu"), marginal.mu);
    builder.add(layer_tensor(layer, "mixture.log_scale"), marginal.log_scale);
    if (weighted) builder.add(layer_tensor(layer, "mixture.logit"), marginal.logit);
    return mixture_word(marginal.link, weighted);
  }

  std::string operator()(const LogisticToNormal&) const { return "logistic_to_normal"; }
};

}  // namespace

std::string layer_tensor(std::size_t layer, std::string_view member) {
  std::string number = std::to_string(layer);
  if (number.size() < 4) number.insert(0, 4 - number.size(), '0');
  return concat("layer.", number, ".", member);
}

std::string mixture_word(Link link, bool weighted) {
  return concat(weighted ? "weighted_" : "", link == Link::logit ? "logit_" : "", "mixture");
}

std::vector<std::byte> encode_model(const Model& model) {
  in_context([&] { check(model); }, "the model cannot be saved");

  TensorBuilder builder;
  std::vector<std::string> structure;
  for (std::size_t i = 0; i < model.flow.layers.size(); ++i) {
    const Layer& layer = model.flow.layers[i];
    const LayerWriter writer{builder, i};
    structure.push_back(std::visit(writer, layer.rotation) + " " + std::visit(writer, layer.marginal));
  }
  builder.add("calibration", model.calibration);
  return builder.file(model_kind, {{"kind", model.kind},
                                   {"dimension", std::to_string(model.flow.dimension)},
                                   {"layers", std::to_string(model.flow.layers.size())},
                                   {"structure", json_list(structure, "layer")},
                                   {"columns", json_list(model.columns, "column name")},
                                   {"options", json_map(model.options, "option")},
                                   {"summary", json_map(model.summary, "summary")}});
}

}  // namespace gaussianize::detail
