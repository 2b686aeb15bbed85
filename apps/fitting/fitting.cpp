#include "fitting/fitting.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/data/split.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/info/anomaly.hpp"
#include "gaussianize/search/rbig_start.hpp"

#include "cli/numbers.hpp"
#include "cli/progress.hpp"
#include "fitting/options.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// Sets columns, row counts, NLLs and the calibration.
void complete(Model& model, const FitData& data, int threads) {
  model.columns = data.columns;
  const bool held_out = data.validation.n_rows > 0;
  model.calibration = calibrate(model.flow, held_out ? data.validation : data.training, {.threads = threads});
  model.summary["calibration"] = held_out ? "held-out rows" : "training rows";
  model.summary["training_rows"] = std::to_string(data.training.n_rows);
  model.summary["validation_rows"] = std::to_string(data.validation.n_rows);
}

void add_validation(Model& model, double nll) {
  if (std::isfinite(nll)) model.summary["validation_nll"] = number_text(nll);
}

/// What was tried, and on which rows it was compared.
void add_candidates(Fitted& fitted, std::vector<Tried> tried, std::string compared_on) {
  for (const Tried& one : tried)
    if (one.chosen) fitted.model.summary["chosen"] = one.name;
  fitted.model.summary["candidates"] = std::to_string(tried.size());
  fitted.model.summary["compared_on"] = std::move(compared_on);
  fitted.candidates = std::move(tried);
}

/// Model, options and summary of fitted.gf.
void describe_gf(Fitted& fitted, const FitData& data, int threads) {
  const GfFit& fit = *fitted.gf;
  fitted.interrupted = fit.stop_reason == GfStop::cancelled;
  fitted.model.flow = fit.flow;
  fitted.model.kind = "gf";
  fitted.model.options = recorded_options(fit.options);
  fitted.model.summary = {{"epochs_run", std::to_string(fit.epochs.size())},
                          {"best_epoch", std::to_string(fit.best_epoch)},
                          {"stopped", std::string(name(fit.stop_reason))},
                          {"parameters", std::to_string(fit.parameters)},
                          {"initial_nll", number_text(fit.initial_nll)}};
  add_validation(fitted.model, fit.validation_nll);
  fitted.model.summary["training_nll"] = number_text(fit.training_nll);
  complete(fitted.model, data, threads);
}

}  // namespace

FitData hold_out(const std::vector<std::string>& columns, const arma::mat& rows, double fraction, Seed seed) {
  if (fraction == 0) return {columns, rows, arma::mat(0, rows.n_cols)};
  const auto n = static_cast<double>(rows.n_rows);
  require(fraction > 0 && fraction < 1, "the share of rows held out is ", fraction, "; it must lie in [0, 1)");
  if (n < 3 || n * (1 - fraction) < 2)
    throw DataError(concat(rows.n_rows, rows.n_rows == 1 ? " row is" : " rows are", " too few to hold out a share of ",
                           fraction, ": 1 must be held out and 2 be left to fit; give more rows"));
  fraction = std::max(fraction, 1 / n);
  const SplitRows split = split_rows(rows.n_rows, {1 - fraction, fraction, 0.0}, seed);
  return {columns, rows.rows(split.train), rows.rows(split.validation)};
}

Fitted fit_gaussian_model(const FitData& data, int threads) {
  const Stopwatch watch;
  Fitted fitted;
  fitted.model.flow = fit_gaussian(data.training, threads);
  fitted.seconds = watch.seconds();
  fitted.model.kind = "gaussian";
  complete(fitted.model, data, threads);
  return fitted;
}

Fitted fit_rbig_model(const FitData& data, const RbigOptions& options) {
  const Stopwatch watch;
  Fitted fitted;
  fitted.rbig = fit_rbig(data.training, data.validation, options);
  fitted.seconds = watch.seconds();
  const RbigFit& fit = *fitted.rbig;
  fitted.interrupted = fit.stop_reason == StopReason::cancelled;
  fitted.model.flow = fit.flow;
  fitted.model.kind = "rbig";
  fitted.model.options = recorded_options(options);
  fitted.model.summary = {{"layers_fitted", std::to_string(fit.layers.size())},
                          {"layers_kept", std::to_string(fit.layers_kept)},
                          {"stopped", std::string(name(fit.stop_reason))},
                          {"training_nll", number_text(fit.training_nll)}};
  add_validation(fitted.model, fit.validation_nll);
  complete(fitted.model, data, options.threads);
  std::vector<Tried> tried;
  for (const RbigCandidate& c : fit.candidates)
    tried.push_back({.name = c.name, .held_out_nll = {c.validation_nll, NAN}, .layers = c.layers, .chosen = c.chosen});
  if (!tried.empty()) add_candidates(fitted, std::move(tried), concat(data.validation.n_rows, " validation rows"));
  return fitted;
}

Fitted fit_gf_model(const FitData& data, const GfOptions& options, const std::optional<Checkpoint>& checkpoint,
                    bool start_from_rbig) {
  const Stopwatch watch;
  Fitted fitted;
  std::optional<GfParameters> start;
  if (start_from_rbig) start = rbig_start(data.training, data.validation, options);
  const GfParameters* from = start ? &*start : nullptr;
  fitted.gf = checkpoint ? resume_gf(data.training, data.validation, options, *checkpoint, from)
                         : fit_gf(data.training, data.validation, options, from);
  fitted.seconds = watch.seconds();
  describe_gf(fitted, data, options.threads);
  if (start_from_rbig) fitted.model.options["init"] = "rbig";
  return fitted;
}

Fitted search_gf_model(const FitData& data, const GfOptions& options, const GfSearchOptions& search,
                       const std::optional<Checkpoint>& checkpoint) {
  const Stopwatch watch;
  GfSearchResult result = checkpoint ? resume_search_gf(data.training, data.validation, options, search, *checkpoint)
                                     : search_gf(data.training, data.validation, options, search);
  Fitted fitted;
  fitted.gf = std::move(result.fit);
  fitted.seconds = watch.seconds();
  describe_gf(fitted, data, options.threads);
  std::vector<Tried> tried;
  for (const GfCandidate& c : result.candidates) {
    if (c.chosen && c.from_rbig) fitted.model.options["init"] = "rbig";
    tried.push_back({.name = c.name,
                     .held_out_nll = c.held_out_nll,
                     .layers = c.trained ? c.options.layers : 0,
                     .rounds = c.rounds,
                     .epochs = c.epochs,
                     .chosen = c.chosen});
  }
  add_candidates(fitted, std::move(tried),
                 result.folds > 1 ? concat(result.evaluation_rows, " training rows in ", result.folds, " folds")
                                  : concat(result.evaluation_rows, " validation rows"));
  return fitted;
}

std::string search_line(const Fitted& fitted) {
  const auto& summary = fitted.model.summary;
  return concat("tried ", summary.at("candidates"), " candidates in ", std::round(fitted.seconds * 10) / 10,
                " s and compared them on ", summary.at("compared_on"), "; chosen: ", summary.at("chosen"));
}

Json candidates_json(const std::vector<Tried>& candidates) {
  Json list = Json::array();
  for (const Tried& c : candidates)
    list.push_back({{"name", c.name},
                    {"held_out_nll", as_json(c.held_out_nll)},
                    {"layers", c.layers},
                    {"rounds", c.rounds},
                    {"epochs", c.epochs},
                    {"chosen", c.chosen}});
  return list;
}

}  // namespace gaussianize
