#include <functional>
#include <utility>

#include "gaussianize/core/detail/in_context.hpp"
#include "gaussianize/io/detail/json_text.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"
#include "gaussianize/io/detail/table_members.hpp"
#include "gaussianize/io/detail/tensor_content.hpp"
#include "gaussianize/rotation/detail/check_sizes.hpp"

namespace gaussianize::detail {
namespace {

/// Calls `check`; what it refuses is the file's fault.
template <class Check>
void check_content(const TensorContent& content, Check check) {
  try {
    check();
  } catch (const std::invalid_argument& error) {
    content.fail_unsound(error.what());
  }
}

/// Fills the members of a layer's tables from `content`.
struct TableReader {
  TensorContent& content;
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
    // The largest number would stand for any extent, and so pass for that of every tensor.
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
  TensorContent& content;
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
      visit_table_members(reader, kind == "straight_tables");
      return SplineMarginal{std::move(reader.columns)};
    }
    if (kind == "logistic_to_normal") return LogisticToNormal{dimension};
    for (const Link link : {Link::probit, Link::logit})
      for (const bool weighted : {false, true})
        if (kind == mixture_word(link, weighted)) return mixture(link, weighted);
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
    const std::string_view words = kinds;
    // The marginal first: it holds D numbers or more, so that D is known to be real before a rotation, which may hold
    // none, takes memory in proportion to it.
    Marginal second = marginal(words.substr(space + 1));
    return {rotation(words.substr(0, space)), std::move(second)};
  }

  std::string tensor(std::string_view member) const { return layer_tensor(layer, member); }
};

Flow read_flow(TensorContent& content) {
  Flow flow;
  flow.dimension = content.count("dimension");
  const auto structure = content.list("structure");
  if (structure.size() != content.count("layers"))
    content.fail_unsound("its metadata speak of ", content.count("layers"), " layers and describe ", structure.size());
  // A dimension that no data stand behind must not overflow the sizes computed from it.
  if (flow.dimension < 1 || flow.dimension > UINT32_MAX)
    content.fail_unsound("claims to have ", flow.dimension, " columns");
  for (std::size_t i = 0; i < structure.size(); ++i)
    flow.layers.push_back(LayerReader{content, flow.dimension, i}.read(structure[i]));
  return flow;
}

}  // namespace

Model decode_model(std::span<const std::byte> file, const std::string& name) {
  TensorContent content(model_kind, file, name);
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

}  // namespace gaussianize::detail
