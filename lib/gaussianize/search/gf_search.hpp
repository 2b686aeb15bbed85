#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/gf/gf.hpp"
#include "gaussianize/math/estimate.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// One way of building a GF that a search tries, with its result.
struct GfCandidate {
  std::string name;           ///< for people: "kernel maps; 15 layers of 10 anchors"
  GfOptions options;          ///< resolved, but for the epochs, which grow from round to round
  bool trained = true;        ///< false: the fixed layers alone (the Gaussian, or a Gaussian copula)
  bool from_rbig = false;     ///< training starts where RBIG stops
  bool single_cycle = false;  ///< trained for one long cycle, and compared with the best one after all rounds
  Estimate held_out_nll;      ///< nats per row. The lowest of many epochs, so slightly optimistic with a single fold
  std::size_t rounds = 0;     ///< of training, before it was dropped or chosen
  std::size_t epochs = 0;     ///< in all of them
  bool chosen = false;
};

/// What is tried, and for how long. An empty choice is left to the search.
struct GfSearchOptions {
  double effort = 1.0;  ///< factor on the steps of every round and on the work that limits the number of candidates
  std::optional<bool> marginal_layer, whitening_layer, from_rbig;
};

struct GfSearchResult {
  GfFit fit;                            ///< the chosen candidate, fitted to all training rows
  std::vector<GfCandidate> candidates;  ///< the simplest first
  std::size_t folds = 1;                ///< 1: candidates were compared on the validation rows
  std::size_t evaluation_rows = 0;      ///< rows that candidates were compared on
};

/// Tunes a GF to the rows of x: candidates for depth, anchors, first map and start are all trained for a short time,
/// the worse half is dropped, the others continue for twice as long, and so on (successive halving) [Jamieson &
/// Talwalkar 2016]. The last one is trained until a round no longer lowers its held-out loss. Each round is a cosine
/// cycle of the learning rate that continues from the round before.
///
/// Candidates are compared on the validation rows. Where these are fewer than 200, they are compared on the training
/// rows instead, by cross-validation in 5 folds, each fold evaluated at the best epoch of the other folds, and the
/// chosen one is then trained on all of them for the folds' median number of epochs. A candidate without trained
/// layers is kept unless the best trained one is better by more than one standard error of the row-by-row difference,
/// the Gaussian unless it is by two.
///
/// Where it is little work, a deep flow of few anchors is also trained in one long cycle: deep flows improve slowly at
/// first and would be dropped early, but in the end can be better than training in several cycles.
///
/// Options other than 0 in `options` (layers, anchors, …) hold for every candidate; `epochs` limits the length of a
/// round, and the first round of that length is the last. The result depends on the data, options and seed alone.
/// Several candidates train at a time: the callbacks are called by threads of the search too, never by two at once.
/// Stopped by the progress callback, it returns the candidate in training as it is then. Throws as fit_gf does, and
/// std::invalid_argument without validation rows.
GfSearchResult search_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
                         const GfSearchOptions& search = {});

/// The same with a seeded share of the rows, options.validation_fraction, held out as validation rows.
GfSearchResult search_gf(const arma::mat& x, const GfOptions& options = {}, const GfSearchOptions& search = {});

/// Continues from a checkpoint that options.checkpoint was given in a search of the same data, options and seed, to the
/// same result.
GfSearchResult resume_search_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
                                const GfSearchOptions& search, const Checkpoint& checkpoint);

/// Whether a checkpoint is one of a search, rather than of a single fit.
bool is_search_checkpoint(const Checkpoint& checkpoint);

}  // namespace gaussianize
#pragma GCC visibility pop
