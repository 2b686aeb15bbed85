#include "gaussianize/rbig/detail/search.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/flow/gaussian.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rbig/detail/fitter.hpp"

namespace gaussianize::detail {
namespace {

/// Layers after which the worse of the two first maps is dropped.
constexpr std::size_t trial_layers = 20;

/// Tells the caller's callback of the latest layer; false if it asks to stop.
bool report_layer(const RbigOptions& options, std::size_t done, std::size_t total, const std::string& candidate,
                  const RbigFit& fit) {
  if (!options.progress) return true;
  const RbigLayerReport& last = fit.layers.back();
  Progress progress{.done = done,
                    .total = total,
                    .stage = concat(candidate, "layer ", fit.layers.size(), ": ", name(last.rotation)),
                    .loss = last.training_nll};
  if (!std::isnan(last.validation_nll)) progress.validation_loss = last.validation_nll;
  return options.progress(progress);
}

/// log p of every row. Unlike log_density, it does not throw for rows that are mapped to infinity.
arma::vec row_log_density(const Flow& flow, const arma::mat& x, int threads) {
  Rows rows(x);
  for (const Layer& layer : flow.layers) forward(layer, rows.x, rows.log_det, threads);
  return rows.log_det - 0.5 * arma::sum(arma::square(rows.x), 1) + static_cast<double>(x.n_cols) * log_normal_pdf(0.0);
}

bool mixes_columns(const arma::mat& x, const RbigOptions& options) {
  return x.n_cols > 1 && options.rotation != RotationKind::identity;
}

std::vector<FirstMap> first_maps(const arma::mat& x, const RbigOptions& options) {
  if (!mixes_columns(x, options)) return {FirstMap::columns};
  if (options.first_map != FirstMap::automatic) return {options.first_map};
  return {FirstMap::columns, FirstMap::whitening};
}

RbigCandidate candidate(FirstMap first, const RbigFit& fit) {
  return {std::string(name(first)), fit.validation_nll, fit.layers_kept};
}

/// Whether RBIG is not better than the Gaussian by more than one standard error.
bool gaussian_is_enough(const arma::vec& gaussian, const arma::vec& rbig) {
  const Estimate gain = mean_estimate(rbig - gaussian);
  return !(gain.value > gain.standard_error || gain.value == arma::datum::inf);
}

/// Replaces the fit's flow by the Gaussian of the training rows if RBIG is not better on the validation rows. With no
/// more rows than columns the covariance has not full rank, and the Gaussian is not compared.
void compare_with_gaussian(const arma::mat& training, const arma::mat& validation, int threads, RbigFit& fit) {
  if (training.n_rows <= training.n_cols + 1) return;
  Flow gaussian = fit_gaussian(training, threads);
  const arma::vec log_p = row_log_density(gaussian, validation, threads);
  fit.candidates.push_back({"gaussian", -arma::mean(log_p)});
  if (!gaussian_is_enough(log_p, row_log_density(fit.flow, validation, threads))) return;
  for (RbigCandidate& one : fit.candidates) one.chosen = false;
  fit.candidates.back().chosen = true;
  fit.training_nll = -arma::mean(row_log_density(gaussian, training, threads));
  fit.validation_nll = fit.candidates.back().validation_nll;
  fit.layers_kept = 0;
  fit.flow = std::move(gaussian);
}

}  // namespace

RbigFit fit_one_rbig(const arma::mat& training, const arma::mat& validation, const RbigOptions& options) {
  RbigFitter fitter(training, validation, options, options.first_map, [&](const RbigFit& fit) {
    return report_layer(options, fit.layers.size(), options.max_layers, "", fit);
  });
  fitter.advance(options.max_layers);
  return fitter.take();
}

RbigFit search_rbig(const arma::mat& training, const arma::mat& validation, const RbigOptions& options) {
  const std::vector<FirstMap> firsts = first_maps(training, options);
  const std::size_t trial = std::min(trial_layers, options.max_layers);
  const std::size_t total = options.max_layers + (firsts.size() - 1) * trial;
  std::size_t done = 0;
  std::vector<RbigFitter> fitters;
  std::vector<RbigCandidate> candidates;
  fitters.reserve(firsts.size());
  for (const FirstMap first : firsts) {
    fitters.emplace_back(training, validation, options, first, [&, first](const RbigFit& fit) {
      return report_layer(options, ++done, total, concat(name(first), ", "), fit);
    });
    fitters.back().advance(trial);
    candidates.push_back(candidate(first, fitters.back().fit()));
    if (fitters.back().fit().stop_reason == StopReason::cancelled) break;
  }
  std::size_t best = 0;
  if (fitters.size() == 2 && candidates[1].validation_nll < candidates[0].validation_nll) best = 1;
  const bool cancelled = fitters.back().fit().stop_reason == StopReason::cancelled;
  if (!cancelled) fitters[best].advance(options.max_layers);
  candidates[best] = candidate(firsts[best], fitters[best].fit());
  candidates[best].chosen = true;
  RbigFit fit = fitters[best].take();
  if (cancelled) fit.stop_reason = StopReason::cancelled;
  fit.candidates = std::move(candidates);
  compare_with_gaussian(training, validation, options.threads, fit);
  return fit;
}

}  // namespace gaussianize::detail
