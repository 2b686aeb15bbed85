#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/marginal/affine.hpp"
#include "gaussianize/math/estimate.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// How far rows are from N(0, I) at one stage of a flow, in nats: J = I + J_m.
struct TraceStage {
  Estimate j;    ///< D_KL(p ‖ N(0, I)): what is left at the end and what the layers from here on remove
  Estimate j_m;  ///< Σ_d D_KL(p_d ‖ N(0, 1)), from one-dimensional entropies
  Estimate i;    ///< the difference: total correlation
};

/// One layer: rotation, then marginal maps. A rotation leaves J as it is and moves I into J_m; marginal maps leave I as
/// it is and remove J_m.
struct TraceLayer {
  std::size_t layer = 0;  ///< its index in the flow
  TraceStage before, rotated, after;
  Estimate moved;  ///< what the rotation moved from I into J_m
  Estimate j_change;  ///< exact: mean of −log|det| + ½‖z‖² − ½‖x‖², no density estimate in it; negative is progress
  Estimate gap;  ///< j_change less the change of J_m from `rotated` to `after`: zero but for errors, since I stays
};

/// J = I + J_m of the standardised data, each side by itself: J from the flow's exact reductions, J_m from
/// one-dimensional entropies before the first layer, I from those around every rotation. The remainder at the end is in
/// both J and I.
struct TraceIdentity {
  Estimate j, i, j_m;
  Estimate gap;  ///< J − I − J_m, with the standard error of the rows' differences
};

struct KlTrace {
  std::size_t rows = 0;
  Estimate raw_j, raw_j_m;  ///< of the data in their own units, before the standardising layer; may overflow to ∞
  std::vector<TraceLayer> layers;  ///< those after the standardising ones
  TraceStage end;                  ///< what remains of the rows' distance from N(0, I)
  TraceIdentity identity;
};

/// log p of every row, the true one or the best known (kl_account). J at every stage is then the mean of log p less the
/// log density that the rows would have if they were N(0, I) there: the traces of all models start at one J.
struct KlReference {
  arma::vec log_density;        ///< nats, in the data's units
  double standard_error = 0.0;  ///< of its mean, beyond what the rows' spread shows
  /// The trace starts with rows standardised by this, whatever standardised those that the flow was fitted to; what the
  /// two differ by is part of the first layer's j_change.
  std::optional<AffineMarginal> standardisation = std::nullopt;
};

struct KlTraceOptions {
  EntropyMethod method = EntropyMethod::spacing;
  /// Without one, J is what is left at the end, as far as `total_correlation` and J_m find it, and what the layers
  /// remove.
  std::optional<KlReference> reference = std::nullopt;
  /// I(z) of what remains at the end, where there is no reference; without either, gaussianize::total_correlation by
  /// its automatic method.
  std::function<Estimate(const arma::mat& z)> total_correlation = {};
  Seed seed{};  ///< of that
  int threads = 0;
};

/// Sends rows through a flow and accounts for every nat. The leading layers that only shift and scale columns are the
/// standardisation: the trace starts behind them, so that units do not matter. All standard errors are those of the
/// rows' own sums and differences, so what J, I and J_m share cancels where it should; that of `total_correlation` is
/// added in quadrature. On the rows a flow was fitted to, reductions include what was fitted by chance: compare with
/// held-out rows. O(L·N·D·(D + log N)) time, O(N·D) memory, the same bytes for any number of threads.
///
/// Throws std::invalid_argument as forward does, and for a reference of other rows or columns, and DataError, naming
/// the stage, where a column has no entropy (entropy_values).
KlTrace kl_trace(const Flow& flow, const arma::mat& x, const KlTraceOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
