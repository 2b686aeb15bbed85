#include <cmath>
#include <cstdint>

#include "gaussianize/core/error.hpp"
#include "gaussianize/io/model_bytes.hpp"

namespace gaussianize {
namespace {

/// What is wrong with one half of a layer, empty if nothing is.
struct LayerCheck {
  std::size_t dimension;
  std::size_t layer;

  std::string operator()(const Identity&) const { return {}; }

  std::string operator()(const Orthogonal& rotation) const {
    const std::string name = layer_tensor(layer, "rotation.q");
    const arma::mat& q = rotation.q;
    if (q.n_rows != dimension || q.n_cols != dimension)
      return concat(name, " is ", q.n_rows, "×", q.n_cols, ", the model has ", dimension, " columns");
    if (!q.is_finite()) return concat(name, " holds a number that is not finite");
    const double error = orthogonality_error(q);
    if (!(error <= 1e-10 * static_cast<double>(dimension)))
      return concat(name, " is not orthogonal: QᵀQ differs from the unit matrix by ", error);
    return {};
  }

  std::string operator()(const AffineMarginal& marginal) const {
    for (const auto* half : {&marginal.shift, &marginal.scale})
      if (half->n_elem != dimension)
        return concat(layer_tensor(layer, half == &marginal.shift ? "affine.shift" : "affine.scale"), " has ",
                      half->n_elem, " numbers, the model has ", dimension, " columns");
    for (std::size_t d = 0; d < dimension; ++d) {
      if (!std::isfinite(marginal.shift[d]))
        return concat(layer_tensor(layer, "affine.shift"), "[", d, "] is not finite");
      if (!(std::isfinite(marginal.scale[d]) && marginal.scale[d] > 0))
        return concat(layer_tensor(layer, "affine.scale"), "[", d, "] is ", marginal.scale[d],
                      ", a scale must be positive and finite");
    }
    return {};
  }

  std::string operator()(const TabulatedMarginal& marginal) const {
    if (marginal.columns.size() != dimension)
      return concat(layer_tensor(layer, "table"), " has ", marginal.columns.size(), " tables, the model has ",
                    dimension, " columns");
    for (std::size_t d = 0; d < dimension; ++d)
      if (const std::string problem = table_problem(marginal.columns[d]); !problem.empty())
        return concat(layer_tensor(layer, "table."), problem, " (table of column ", d, ")");
    return {};
  }
};

}  // namespace

std::string model_problem(const Model& model) {
  const std::size_t dimension = model.flow.dimension;
  if (dimension < 1 || dimension > UINT32_MAX) return concat("it has ", dimension, " columns");
  if (!model.columns.empty() && model.columns.size() != dimension)
    return concat("it names ", model.columns.size(), " columns and has ", dimension);
  for (std::size_t i = 0; i < model.flow.layers.size(); ++i) {
    const LayerCheck check{dimension, i};
    const Layer& layer = model.flow.layers[i];
    if (std::string problem = std::visit(check, layer.rotation); !problem.empty()) return problem;
    if (std::string problem = std::visit(check, layer.marginal); !problem.empty()) return problem;
  }
  return {};
}

}  // namespace gaussianize
