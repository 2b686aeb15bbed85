#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/gf/options.hpp"
#include "gaussianize/gf/parameters.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// One epoch, in nats per row of the original data.
struct GfEpochReport {
  double training_loss = 0.0;    ///< mean over the epoch's batches, each before its step
  double validation_nll = 0.0;   ///< of the parameters that would be returned; NaN without validation rows
  double learning_rate = 0.0;    ///< of the last step
  double seconds = 0.0;          ///< since training began, earlier runs of a resumed one included
  std::size_t undone_steps = 0;  ///< steps undone because the loss or gradient was not finite
};

enum class GfStop { epochs, patience, cancelled };

struct GfFit {
  Flow flow;             ///< standardising layer, the fixed layers if any, then the trained layers
  GfParameters trained;  ///< the trained layers: a start for further training
  GfOptions options;     ///< as resolved
  std::vector<GfEpochReport> epochs;
  double initial_nll = 0.0;     ///< on the validation rows (training rows if there are none), before the first step
  double training_nll = 0.0;    ///< of the flow
  double validation_nll = 0.0;  ///< of the best epoch, whose parameters the flow holds; NaN without validation rows
  std::size_t best_epoch = 0;   ///< 0: the start
  GfStop stop_reason = GfStop::epochs;
  std::size_t training_rows = 0, validation_rows = 0, parameters = 0;
};

/// Trains a Gaussianization flow on the rows of x by maximum likelihood: mini-batches from a seeded permutation per
/// epoch, Adam, the best validation loss kept. A seeded share of the rows is held out. Throws std::invalid_argument for
/// bad options or entries that are not finite, DataError for a constant column, NumericalError (with layer and
/// dimension) if the loss is not finite and undoing the last step, with the next one shortened, does not help. Stopped
/// by the progress callback, it returns the best so far.
GfFit fit_gf(const arma::mat& x, const GfOptions& options = {});

/// The same with validation rows of the caller's own; none (0 rows) keeps the last parameters instead of the best.
/// `start` replaces the initialisation: training continues from another model. Its layers follow the standardising
/// layer and, unless options.marginal_layer is false, the kernel layer.
GfFit fit_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
             const GfParameters* start = nullptr);

/// Continues from a checkpoint of a fit of the same data, options and seed (and start): the flow has the same bits as
/// if the fit had never been interrupted. Throws std::invalid_argument if the checkpoint is of another fit.
GfFit resume_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options, const Checkpoint& checkpoint,
                const GfParameters* start = nullptr);
GfFit resume_gf(const arma::mat& x, const GfOptions& options, const Checkpoint& checkpoint);

std::string_view name(GfStop reason);

}  // namespace gaussianize
#pragma GCC visibility pop
