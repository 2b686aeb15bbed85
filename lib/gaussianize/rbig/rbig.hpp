#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/core/execution.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/marginal/bandwidth.hpp"
#include "gaussianize/math/estimate.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// How the rotation of each layer is found.
enum class RotationKind {
  identity,   ///< none: only the columns' own distributions are fitted
  random,     ///< uniform over the orthogonal group
  pca,        ///< principal axes: best while columns are correlated, no use once the data are white
  ica,        ///< PCA once, then FastICA, with another contrast in every layer
  sliced,     ///< PCA once, then the directions farthest from normal in Wasserstein distance
  automatic,  ///< whichever of pca, ica and sliced shows the largest J_m
};

enum class StoppingRule {
  fixed,        ///< after max_layers
  likelihood,   ///< when held-out likelihood has not risen for `patience` layers; the best number of layers is kept
  information,  ///< when `patience` layers in a row remove no more than they would from N(0, I) at the same N and D
};

enum class ConstantColumns { error, drop };

/// Marginal tails beyond the data: the kernel's own exponential ones, or fitted ones, which are straight, in the first
/// layer also heavy if the rows are.
enum class TailRule { kernel, fitted };

/// The input of the first layer's marginal maps.
enum class FirstMap {
  automatic,  ///< chosen by validation loss if `search` is on, else columns
  columns,    ///< the columns in their own units, unmixed: best where a column's own shape is simple
  whitening,  ///< the principal axes: best where columns are nearly collinear
};

struct RbigOptions {
  RotationKind rotation = RotationKind::automatic;
  FirstMap first_map = FirstMap::automatic;
  /// The first layer's columns have any shape, so its bandwidths are chosen by likelihood; those of later layers are
  /// nearly normal, where the rule of thumb is as good and faster.
  BandwidthRule first_bandwidth = BandwidthRule::likelihood;
  BandwidthRule bandwidth = BandwidthRule::rule_of_thumb;
  TailRule tails = TailRule::fitted;
  std::size_t kde_rows = 0;  ///< fit each marginal to at most this many rows; 0 is all

  /// Shrink each marginal map towards the column's affine standardisation by the amount with the best held-out
  /// likelihood. Layers after the first then apply only `step_fraction` of the map: many small steps generalise better
  /// than few large ones.
  bool shrink = true;
  double step_fraction = 0.3;   ///< in (0, 1]; 1 applies the whole map
  double min_shrinkage = 1e-3;  ///< keeps every map's slope away from zero, also in gaps of the data

  StoppingRule stop = StoppingRule::likelihood;
  std::size_t max_layers = 1000;
  std::size_t patience = 20;
  double validation_fraction = 0.1;  ///< of the rows, held out for the likelihood rule if no validation data are given

  /// Likelihood rule only: choose by validation loss. Two fits, columns first and whitening first, are compared after
  /// their first layers (unless `first_map` is given) and the better one continues. Its result is compared with the
  /// Gaussian of the same training rows, which is kept if RBIG is not better.
  bool search = true;

  std::size_t report_rows = 10000;  ///< J_m in the reports is estimated from at most this many rows; 0: not at all

  ConstantColumns constant_columns = ConstantColumns::error;
  Seed seed{};
  int threads = 0;
  ProgressCallback progress = {};
};

/// The paper's RBIG [Meng et al. 2020, §2.2 and appendix]: 5 layers, marginal maps first and PCA between them,
/// rule-of-thumb kernel marginals on 50,000 rows; no shrinkage, no fitted tails.
RbigOptions paper_rbig_options();

/// The effect of one layer, in nats, on the training rows unless stated otherwise.
struct RbigLayerReport {
  RotationKind rotation = RotationKind::identity;  ///< the one used
  bool rotation_converged = true;
  double log_det_mean = 0.0;
  Estimate j_change;    ///< J after minus J before: −E log|det| + ½E‖z‖² − ½E‖x‖²; negative is progress
  Estimate j_m_before;  ///< J_m between rotation and marginal maps, which the layer can remove; NaN if not reported
  Estimate j_m_after;   ///< J_m of its output; NaN if not reported
  double mean_shrinkage = 0.0;  ///< average over columns
  double training_nll = 0.0;    ///< of the flow up to here
  double validation_nll = 0.0;  ///< NaN without held-out rows
};

/// A fit that was compared on the validation rows.
struct RbigCandidate {
  std::string name;             ///< "columns first", "whitening first" or "gaussian"
  double validation_nll = 0.0;  ///< of its best number of layers so far
  std::size_t layers = 0;       ///< of them; 0 for the Gaussian
  bool chosen = false;          ///< true for exactly one
};

enum class StopReason { max_layers, likelihood, information, one_dimension, cancelled };

struct RbigFit {
  Flow flow;  ///< of the columns in `kept`
  arma::uvec kept;
  std::vector<RbigLayerReport> layers;  ///< one per layer fitted, those after the best one included
  std::size_t layers_kept = 0;          ///< of the reports' layers; 0 also where the Gaussian was chosen
  StopReason stop_reason = StopReason::max_layers;
  double training_nll = 0.0;
  double validation_nll = 0.0;  ///< of the kept flow, which it chose, so slightly optimistic; NaN without held-out rows
  std::size_t training_rows = 0;
  std::size_t validation_rows = 0;
  std::vector<RbigCandidate> candidates;  ///< in the order they were fitted; empty without `search`
  Estimate null_negentropy;  ///< information rule: mean and standard deviation of a layer's J_m under N(0, I)
};

/// Fits RBIG to the rows of x (N×D, N ≥ 2). Under the likelihood rule a seeded share of the rows is held out. Throws
/// std::invalid_argument for bad options or entries that are not finite, DataError for a constant column. If
/// the progress callback stops the fit, it ends after the current layer and the result holds what was fitted.
RbigFit fit_rbig(const arma::mat& x, const RbigOptions& options = {});

/// The same with validation rows that the caller gives.
RbigFit fit_rbig(const arma::mat& x, const arma::mat& validation, const RbigOptions& options);

std::string_view name(RotationKind kind);
std::string_view name(StopReason reason);
std::string_view name(FirstMap first);

}  // namespace gaussianize
#pragma GCC visibility pop
