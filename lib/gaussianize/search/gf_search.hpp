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

/// One way of building a GF that a search tries, and what came of it.
struct GfCandidate {
  std::string name;        ///< for people: "kernel maps; 15 layers of 10 anchors"
  GfOptions options;       ///< resolved, but for the epochs, which grow from round to round
  bool trained = true;     ///< false: the fixed layers alone (the Gaussian, or a Gaussian copula)
  bool from_rbig = false;  ///< training starts where RBIG stops
  bool in_one_go = false;  ///< trained for one long cycle, and compared with the one that is left after all rounds
  Estimate held_out_nll;   ///< nats per row. The lowest of many epochs, so slightly optimistic with a single fold
  std::size_t rounds = 0;  ///< of training, before it was dropped or chosen
  std::size_t epochs = 0;  ///< in all of them
  bool chosen = false;
};

/// What is tried, and how long. An empty choice is made by the search.
struct GfSearchOptions {
  double effort = 1.0;  ///< factor on the steps of every round and on the work that limits the number of candidates
  std::optional<bool> marginal_layer, whitening_layer, from_rbig;
};

struct GfSearchResult {
  GfFit fit;                            ///< the chosen candidate, fitted to all training rows
  std::vector<GfCandidate> candidates;  ///< the simplest first
  std::size_t folds = 1;                ///< 1: candidates were compared on the validation rows
  std::size_t judged_rows = 0;          ///< rows that they were compared on
};

/// Tunes a GF to the rows of x: candidates for depth, anchors, first map and start are all trained for a short time,
/// the worse half is dropped, the others go on for twice as long, and so forth (successive halving) [Jamieson &
/// Talwalkar 2016]. The last one is trained until a round no longer lowers its held-out loss. Each round is a cosine
/// cycle of the learning rate from where the round before stopped.
///
/// Candidates are compared on the validation rows. Where these are fewer than 200, they are compared on the training
/// rows instead, by cross-validation in 5 folds, each fold's training judged at the epoch that the other folds prefer,
/// and the chosen one is then trained on all of them for as long as the folds asked for. A candidate without trained
/// layers is kept unless the best trained one is better by more than one standard error of the row-by-row difference,
/// the Gaussian unless it is by two.
///
/// Where it is little work, a deep flow of few anchors is trained beside them in one long cycle: deep ones start slowly
/// and would be dropped early, but end where training that is begun again and again does not.
///
/// Options other than 0 in `options` (layers, anchors, …) hold for every candidate; with `epochs`, no round is longer
/// than that, and the first that is so long is the last. The result depends on the data, options and seed alone.
/// Several candidates train at a time: the callbacks are called by threads of the search too, never by two at once.
/// Stopped by the progress callback, it returns what the candidate in training had reached. Throws as fit_gf does, and
/// std::invalid_argument without validation rows.
GfSearchResult search_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
                         const GfSearchOptions& search = {});

/// The same with a seeded share of the rows, options.validation_fraction, held out as validation rows.
GfSearchResult search_gf(const arma::mat& x, const GfOptions& options = {}, const GfSearchOptions& search = {});

/// Goes on from a checkpoint that options.checkpoint was given in a search of the same data, options and seed, to the
/// same result.
GfSearchResult resume_search_gf(const arma::mat& x, const arma::mat& validation, const GfOptions& options,
                                const GfSearchOptions& search, const Checkpoint& checkpoint);

/// Whether a checkpoint is one of a search, rather than of a single fit.
bool is_search_checkpoint(const Checkpoint& checkpoint);

}  // namespace gaussianize
#pragma GCC visibility pop
