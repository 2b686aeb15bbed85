#pragma once

#include <cstddef>
#include <functional>

#include "gaussianize/core/execution.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/checkpoint.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// The rotations between marginal layers.
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
  straight,  ///< c·log(F/(1 − F)) in every layer, and a fixed map to N(0, I) after the last: straight in the tails
  paper,  ///< Φ⁻¹(F) in every layer. Its inverse grows like z², layer after layer: some samples lie far from all data
};

/// The learning rate over the steps of a fit.
enum class Schedule {
  constant,
  plateau,  ///< halved whenever the validation loss has not fallen for `plateau_patience` epochs
  cosine,   ///< falls to zero along half a cosine over the whole run
};

struct ScheduleOptions {
  Schedule kind = Schedule::cosine;
  double learning_rate = 0.01;       ///< peak learning rate
  std::size_t warm_up_steps = 0;     ///< the rate rises linearly over the first steps
  std::size_t plateau_patience = 5;  ///< epochs
};

struct AdamOptions {
  double beta1 = 0.9;  ///< decay of the mean gradient
  /// Decay of the mean squared gradient. Lower than the usual 0.999: kernels that narrow onto tied values make
  /// gradients steep within a few steps, and a long memory reacts too late.
  double beta2 = 0.99;
  double epsilon = 1e-8;  ///< added to the root of the mean squared gradient
  bool amsgrad = false;   ///< divide by the largest mean square so far [Reddi, Kale & Kumar 2018]
};

/// How a GF is built and trained. 0 means: chosen from the data's size; GfFit::options holds the chosen values.
struct GfOptions {
  LayerMap layer = LayerMap::straight;
  std::size_t layers = 0;
  std::size_t anchors = 0;  ///< K, kernels per dimension and layer
  /// K of the first layer, whose input has the columns' own shapes; the input of later layers is nearly normal.
  std::size_t first_anchors = 0;
  /// M, reflections per rotation (or patch). 0: one per column that is rotated (of a patch, unless all layers are
  /// full).
  std::size_t reflections = 0;
  RotationLayout rotations = RotationLayout::householder;
  std::size_t patch = 4;                   ///< side of a patch, for images
  bool rotate_first = false;               ///< false: the first layer does not mix the columns
  bool train_weights = true;               ///< softmax weights; false: 1/K, as in the paper
  std::size_t marginals_per_rotation = 1;  ///< marginal layers between two rotations
  Initialisation init = Initialisation::quantile;
  std::size_t init_rows = 20000;  ///< rows used to place the anchors
  /// A fixed kernel map of every column as the first layer: the result hardly depends on a column's unit or on a power
  /// of it, and the mixtures start from nearly normal columns.
  bool marginal_layer = true;
  /// A fixed whitening after it: correlations, also of nearly collinear columns, need not be trained.
  bool whitening_layer = false;

  std::size_t batch = 0;
  std::size_t epochs = 0;
  ScheduleOptions schedule{.learning_rate = 0.0};
  AdamOptions adam{};
  double clip_norm = 0.0;  ///< longer gradients are scaled to this norm; 0: never
  /// In [0, 1): decay of an exponential average of the parameters, which is validated and kept; 0: the last parameters.
  double average_decay = 0.99;
  std::size_t patience = 0;          ///< epochs without a better validation loss before stopping; 0: run all
  double validation_fraction = 0.1;  ///< of the rows, held out if no validation data are given

  Seed seed{};
  int threads = 0;
  ProgressCallback progress = {};

  /// Called with the complete state of the fit, every `checkpoint_epochs` epochs or `checkpoint_seconds` seconds (0:
  /// never), and when the progress callback stops the fit. It must return only when the checkpoint is stored.
  std::function<void(const Checkpoint&)> checkpoint = {};
  std::size_t checkpoint_epochs = 0;
  double checkpoint_seconds = 0.0;
};

}  // namespace gaussianize
#pragma GCC visibility pop
