#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"

namespace gaussianize::detail {

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

}  // namespace gaussianize::detail
