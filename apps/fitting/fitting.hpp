#pragma once

#include <optional>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/flow/checkpoint.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/io/model_file.hpp"
#include "gaussianize/rbig/rbig.hpp"
#include "gaussianize/search/gf_search.hpp"

#include "cli/json.hpp"

namespace gaussianize {

/// Training rows, and validation rows, which may be none.
struct FitData {
  std::vector<std::string> columns;
  arma::mat training, validation;
};

/// A share of the rows held out by seed; 0: none. Throws DataError if none could be, or fewer than 2 be left to fit.
FitData hold_out(const std::vector<std::string>& columns, const arma::mat& rows, double fraction, Seed seed);

/// A way of building the model that was tried.
struct Tried {
  std::string name;
  Estimate held_out_nll;  ///< nats per row; without a standard error where none was estimated
  std::size_t layers = 0, rounds = 0, epochs = 0;
  bool chosen = false;
};

/// A model that can be saved, with how it came about. The model's bytes depend on the data, options and seed alone: no
/// time, no number of threads is in it.
struct Fitted {
  Model model;
  double seconds = 0.0;
  bool interrupted = false;  ///< stopped by the callback: the model is what was reached
  std::optional<RbigFit> rbig;
  std::optional<GfFit> gf;
  std::vector<Tried> candidates;  ///< what the fit chose from; none if it had no choice
};

Fitted fit_gaussian_model(const FitData& data, int threads);
Fitted fit_rbig_model(const FitData& data, const RbigOptions& options);

/// `checkpoint`: continue from it. `start_from_rbig`: start from an RBIG fit instead of options.init.
Fitted fit_gf_model(const FitData& data, const GfOptions& options,
                    const std::optional<Checkpoint>& checkpoint = std::nullopt, bool start_from_rbig = false);

/// The GF that a search over candidates chooses.
Fitted search_gf_model(const FitData& data, const GfOptions& options, const GfSearchOptions& search,
                       const std::optional<Checkpoint>& checkpoint = std::nullopt);

/// How the model was chosen, as one line: number of candidates, rows they were compared on, the chosen one.
std::string search_line(const Fitted& fitted);

/// The same as JSON, one entry per candidate.
Json candidates_json(const std::vector<Tried>& candidates);

}  // namespace gaussianize
