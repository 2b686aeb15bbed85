#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"

namespace gaussianize::detail {
namespace {

/// What is wrong with one half of a layer, empty if nothing is.
struct LayerCheck {
  std::size_t dimension;
  std::size_t layer;

  std::string operator()(const Identity&) const { return {}; }

  std::string operator()(const Orthogonal& rotation) const {
    const std::string name = tensor("rotation.q");
    const arma::mat& q = rotation.q;
    if (q.n_rows != dimension || q.n_cols != dimension)
      return concat(name, " is ", q.n_rows, "×", q.n_cols, ", the model has ", dimension, " columns");
    if (!q.is_finite()) return concat(name, " holds a number that is not finite");
    const double error = orthogonality_error(q);
    if (!(error <= 1e-10 * static_cast<double>(dimension)))
      return concat(name, " is not orthogonal: QᵀQ differs from the unit matrix by ", error);
    return {};
  }

  std::string operator()(const Householder& rotation) const {
    const arma::mat& v = rotation.v;
    if (v.n_rows != dimension)
      return concat(tensor("rotation.v"), " is ", v.n_rows, "×", v.n_cols, ", the model has ", dimension, " columns");
    return check_vectors(v.memptr(), v.n_rows, v.n_cols);
  }

  std::string operator()(const PatchRotation& rotation) const {
    if (const std::string problem = patch_problem(rotation, dimension); !problem.empty())
      return concat(tensor("rotation."), problem);
    const arma::cube& v = rotation.v;
    const std::size_t pixels = rotation.patch * rotation.patch, patches = dimension / pixels;
    if (v.n_rows != pixels || v.n_slices != patches)
      return concat(tensor("rotation.v"), " is ", v.n_slices, "×", v.n_rows, "×", v.n_cols, ", the model has ", patches,
                    " patches of ", pixels, " pixels");
    return check_vectors(v.memptr(), v.n_rows, v.n_cols * v.n_slices);
  }

  std::string operator()(const AffineMarginal& marginal) const {
    for (const auto* half : {&marginal.shift, &marginal.scale})
      if (half->n_elem != dimension)
        return concat(tensor(half == &marginal.shift ? "affine.shift" : "affine.scale"), " has ", half->n_elem,
                      " numbers, the model has ", dimension, " columns");
    for (std::size_t d = 0; d < dimension; ++d) {
      if (!std::isfinite(marginal.shift[d])) return concat(tensor("affine.shift"), "[", d, "] is not finite");
      if (!(std::isfinite(marginal.scale[d]) && marginal.scale[d] > 0))
        return concat(tensor("affine.scale"), "[", d, "] is ", marginal.scale[d],
                      ", a scale must be positive and finite");
    }
    return {};
  }

  std::string operator()(const SplineMarginal& marginal) const {
    if (marginal.columns.size() != dimension)
      return concat(tensor("table"), " has ", marginal.columns.size(), " tables, the model has ", dimension,
                    " columns");
    for (std::size_t d = 0; d < dimension; ++d)
      if (const std::string problem = table_problem(marginal.columns[d]); !problem.empty())
        return concat(tensor("table."), problem, " (table of column ", d, ")");
    return {};
  }

  std::string operator()(const LogisticToNormal& marginal) const {
    if (marginal.dimension == dimension) return {};
    return concat("layer ", layer, " maps ", marginal.dimension, " columns, the model has ", dimension);
  }

  std::string operator()(const LogisticMixture& marginal) const {
    const arma::mat& mu = marginal.mu;
    if (mu.n_cols != dimension || mu.is_empty())
      return concat(tensor("mixture.mu"), " is ", mu.n_rows, "×", mu.n_cols, ", it must have one or more kernels in ",
                    dimension, " columns");
    const bool weighted = marginal.logit.n_rows != 0 || marginal.logit.n_cols != 0;
    for (const auto& [name, block] : {std::pair("mixture.mu", &mu), std::pair("mixture.log_scale", &marginal.log_scale),
                                      std::pair("mixture.logit", weighted ? &marginal.logit : &mu)}) {
      if (arma::size(*block) != arma::size(mu))
        return concat(tensor(name), " is ", block->n_rows, "×", block->n_cols, ", mixture.mu is ", mu.n_rows, "×",
                      mu.n_cols);
      if (!block->is_finite()) return concat(tensor(name), " holds a number that is not finite");
    }
    // Beyond, a kernel is a step or flat and the map loses its promises.
    const double widest = arma::abs(marginal.log_scale).max();
    if (widest > 300)
      return concat(tensor("mixture.log_scale"), " holds ", widest, " or its negative, ±300 is the most");
    return {};
  }

 private:
  std::string tensor(std::string_view member) const { return layer_tensor(layer, member); }

  /// Of `count` reflections of `length` numbers each.
  std::string check_vectors(const double* v, std::size_t length, std::size_t count) const {
    const std::string name = tensor("rotation.v");
    for (std::size_t i = 0; i < count; ++i) {
      const double* vector = v + i * length;
      if (!std::all_of(vector, vector + length, [](double number) { return std::isfinite(number); }))
        return concat(name, " holds a number that is not finite");
      if (std::all_of(vector, vector + length, [](double number) { return number == 0; }))
        return concat(name, ": vector ", i, " is zero, which reflects nothing");
    }
    return {};
  }
};

}  // namespace

std::string patch_problem(const PatchRotation& rotation, std::size_t dimension) {
  const auto& [side, patch, shift, vertical, v] = rotation;
  if (side < 1 || side > UINT16_MAX || side * side != dimension)
    return concat("side is ", side, ", its square must be the model's ", dimension, " columns");
  if (patch < 1 || side % patch != 0) return concat("patch is ", patch, ", it must divide the side, ", side);
  if (shift >= side) return concat("shift is ", shift, ", it must be below the side, ", side);
  return {};
}

std::string model_problem(const Model& model) {
  const std::size_t dimension = model.flow.dimension;
  if (dimension < 1 || dimension > UINT32_MAX) return concat("it has ", dimension, " columns");
  if (!model.columns.empty() && model.columns.size() != dimension)
    return concat("it names ", model.columns.size(), " columns and has ", dimension);
  const auto& calibration = model.calibration;
  if (!std::all_of(calibration.begin(), calibration.end(), [](double number) { return std::isfinite(number); }))
    return "calibration holds a number that is not finite";
  if (!std::is_sorted(calibration.begin(), calibration.end())) return "calibration must not fall";
  for (std::size_t i = 0; i < model.flow.layers.size(); ++i) {
    const LayerCheck check{dimension, i};
    const Layer& layer = model.flow.layers[i];
    if (std::string problem = std::visit(check, layer.rotation); !problem.empty()) return problem;
    if (std::string problem = std::visit(check, layer.marginal); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace gaussianize::detail
