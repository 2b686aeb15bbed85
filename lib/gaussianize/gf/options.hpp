#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "gaussianize/core/execution.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/checkpoint.hpp"
#include "gaussianize/gf/adam.hpp"
#include "gaussianize/gf/schedule.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// What mixes the columns between marginal layers.
enum class RotationLayout {
  householder,  ///< a product of reflections over all columns
  patch,        ///< one product per patch of a square image, the grid shifted from layer to layer
  alternating,  ///< the two in turn: all columns, then patches, counted with the first layer, rotated or not
};

/// Where the mixtures start.
enum class Initialisation {
  quantile,  ///< anchors at quantiles of the rows pushed through the layers before
  rows,      ///< anchors at random rows, as in the paper
};

/// How a mixture's distribution function F becomes the layer's output.
enum class LayerMap {
  straight,  ///< c·log(F/(1 − F)) in every layer, and a fixed map to N(0, I) behind the last: straight far out
  paper,  ///< Φ⁻¹(F) in every layer. Its inverse grows like z², layer after layer: some draws lie far from all data
};

/// How a GF is built and trained. 0 means: chosen from the data's size, see resolve.
struct GfOptions {
  LayerMap layer = LayerMap::straight;
  std::size_t layers = 0;
  std::size_t anchors = 0;  ///< K, kernels per dimension and layer
  std::size_t first_anchors =
      0;                        ///< in the first layer: it meets the columns' own shapes, later ones nearly normal ones
  std::size_t reflections = 0;  ///< M, per rotation (or patch); 0 is one per column of what is rotated (of a patch,
                                ///< unless all layers are full)
  RotationLayout rotations = RotationLayout::householder;
  std::size_t patch = 4;                   ///< side of a patch, for images
  bool rotate_first = false;               ///< false: the first layer leaves columns in their own units unmixed
  bool train_weights = true;               ///< softmax weights; false: 1/K, as in the paper
  std::size_t marginals_per_rotation = 1;  ///< marginal layers between two rotations
  Initialisation init = Initialisation::quantile;
  std::size_t init_rows = 20000;  ///< rows that the anchors are placed by
  bool marginal_layer = true;     ///< a fixed kernel map of every column in front (fit_power_kde): a column's unit or a
                               ///< power of it hardly matters, and the mixtures start from nearly normal columns
  bool whitening_layer = false;  ///< a fixed whitening (fit_whitening) behind it: correlations, near collinearity among
                                 ///< them, need not be trained

  std::size_t batch = 0;
  std::size_t epochs = 0;
  ScheduleOptions schedule{.learning_rate = 0.0};
  AdamOptions adam{};
  double clip_norm = 0.0;       ///< gradients longer than this are shortened to it; 0: never
  double average_decay = 0.99;  ///< in [0, 1): judge and keep an exponential average of the parameters; 0: the last
  std::size_t patience =
      0;  ///< epochs without a better validation loss before stopping; 0: run all, as without such rows
  double validation_fraction = 0.1;  ///< of the rows, held out if no validation data are given

  Seed seed{};
  int threads = 0;
  ProgressCallback progress = {};

  /// Called with all that is needed to go on, every `checkpoint_epochs` epochs or `checkpoint_seconds` seconds (0:
  /// never), and when the progress callback stops the fit. It returns when the checkpoint is safe.
  std::function<void(const Checkpoint&)> checkpoint = {};
  std::size_t checkpoint_epochs = 0;
  double checkpoint_seconds = 0.0;
};

/// The options with every 0 that means "chosen" filled in for `rows` training rows of `dimension` columns.
GfOptions resolve(GfOptions options, std::size_t rows, std::size_t dimension);

/// Throws std::invalid_argument that names the option and the fix. For resolved options.
void check(const GfOptions& options, std::size_t dimension);

}  // namespace gaussianize
#pragma GCC visibility pop
