#include "gaussianize/gf/detail/resolve_options.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::detail {

GfOptions resolve(GfOptions o, std::size_t rows, std::size_t dimension) {
  const auto n = static_cast<double>(rows);
  if (o.layers == 0)
    o.layers = dimension == 1 ? 1 : static_cast<std::size_t>(std::clamp(0.7 * std::cbrt(n), 2.0, 20.0));
  if (o.anchors == 0) o.anchors = static_cast<std::size_t>(std::clamp(std::sqrt(n) / 10, 4.0, 50.0));
  if (o.first_anchors == 0) o.first_anchors = std::max<std::size_t>(o.anchors, 50);
  if (o.reflections == 0)
    o.reflections = o.rotations == RotationLayout::householder ? dimension : std::min(dimension, o.patch * o.patch);
  if (o.batch == 0) o.batch = std::clamp<std::size_t>(rows / 20, std::min<std::size_t>(rows, 100), 1000);
  if (o.epochs == 0) {
    // About 2000 steps, however many rows make an epoch.
    const double steps = std::ceil(n / static_cast<double>(o.batch));
    o.epochs = static_cast<std::size_t>(std::clamp(2000 / steps, 10.0, 200.0));
  }
  if (o.schedule.learning_rate == 0) o.schedule.learning_rate = 0.01;
  return o;
}

void check_options(const GfOptions& o, std::size_t dimension) {
  require(o.layers > 0 && o.anchors > 0 && o.first_anchors > 0 && o.reflections > 0,
          "GfOptions: layers, anchors, first_anchors and reflections must be positive");
  require(o.marginals_per_rotation > 0, "GfOptions::marginals_per_rotation is 0; give at least 1");
  require(o.batch > 0 && o.epochs > 0, "GfOptions: batch and epochs must be positive");
  require(o.init_rows >= 2, "GfOptions::init_rows is ", o.init_rows, "; at least 2 rows are needed");
  require(o.schedule.learning_rate > 0, "GfOptions: the learning rate is ", o.schedule.learning_rate,
          "; it must be positive");
  require(o.schedule.plateau_patience > 0, "GfOptions: plateau_patience is 0; give at least 1");
  require(o.adam.beta1 >= 0 && o.adam.beta1 < 1 && o.adam.beta2 >= 0 && o.adam.beta2 < 1 && o.adam.epsilon > 0,
          "GfOptions: Adam needs decays in [0, 1) and a positive epsilon");
  require(o.clip_norm >= 0, "GfOptions::clip_norm is ", o.clip_norm, "; it must not be negative (0: never clip)");
  require(o.average_decay >= 0 && o.average_decay < 1, "GfOptions::average_decay is ", o.average_decay,
          "; it must lie in [0, 1)");
  require(o.validation_fraction >= 0 && o.validation_fraction < 1, "GfOptions::validation_fraction is ",
          o.validation_fraction, "; it must lie in [0, 1)");
  require(o.checkpoint_seconds >= 0, "GfOptions::checkpoint_seconds must not be negative");
  resolve_threads(o.threads);
  if (o.rotations == RotationLayout::householder) return;
  const auto side = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(dimension))));
  require(side * side == dimension, "GfOptions: patch rotations need square images; ", dimension,
          " columns are not a square");
  require(o.patch > 0 && side % o.patch == 0, "GfOptions::patch is ", o.patch, "; it must divide the image side ",
          side);
}

}  // namespace gaussianize::detail
