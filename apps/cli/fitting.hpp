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

namespace gaussianize {
using namespace detail;

/// Rows to fit and rows to judge by; validation may have none.
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

/// `checkpoint`: go on from there. `start_from_rbig`: begin where RBIG stops, instead of where options.init says.
Fitted fit_gf_model(const FitData& data, const GfOptions& options,
                    const std::optional<Checkpoint>& checkpoint = std::nullopt, bool start_from_rbig = false);

/// The GF that a search over candidates chooses.
Fitted search_gf_model(const FitData& data, const GfOptions& options, const GfSearchOptions& search,
                       const std::optional<Checkpoint>& checkpoint = std::nullopt);

/// What a model was chosen from, as a line: how many candidates, on which rows, and the chosen one.
std::string search_line(const Fitted& fitted);

/// P(log p(X) ≤ log_density) for a new row X of the same law, from the n rows the model was calibrated with:
/// (1 + number of them at or below)/(n + 1). For rows that were not fitted this is exact in the sense of conformal
/// prediction: over new rows of the law, P(tail ≤ α) ≤ α, and misses α by at most 1/(n + 1).
double tail_probability(const std::vector<double>& calibration, double log_density);

}  // namespace gaussianize
