#include "gaussianize/rbig/detail/fitter.hpp"

#include <cmath>
#include <limits>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/detail/negentropy.hpp"
#include "gaussianize/marginal/detail/round_to_grid.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rbig/detail/choose_rotation.hpp"
#include "gaussianize/rbig/detail/shrinkage.hpp"

namespace gaussianize::detail {
namespace {

/// A layer makes progress if its J_m exceeds the null mean by this many null standard deviations.
constexpr double null_significance = 3.0;
/// Minimum standard deviation of standardised rows, in any direction.
constexpr double min_row_spread = 1e-6;
/// Minimum slope of a straight tail after the first layer, relative to standardising.
constexpr double min_tail_slope = 0.8;

double row_spread(const arma::vec& rows) {
  return std::max(arma::stddev(rows, 1), min_row_spread);
}

}  // namespace

double Rows::nll() const {
  if (empty()) return std::numeric_limits<double>::quiet_NaN();
  return arma::mean(0.5 * arma::sum(arma::square(x), 1) - log_det) -
         static_cast<double>(x.n_cols) * log_normal_pdf(0.0);
}

RbigFitter::RbigFitter(const arma::mat& training, const arma::mat& validation, const RbigOptions& options,
                       FirstMap first, LayerCallback after_layer)
    : options_(options),
      rotate_first_(first == FirstMap::whitening),
      after_layer_(std::move(after_layer)),
      training_(training),
      validation_(validation) {
  fit_.training_rows = training.n_rows;
  fit_.validation_rows = validation.n_rows;
  fit_.flow.dimension = training.n_cols;
  append({Identity{}, fit_affine(training_.x)});
  fit_.training_nll = training_.nll();
  fit_.validation_nll = validation_.nll();
  if (options.stop == StoppingRule::information)
    fit_.null_negentropy = null_negentropy(training.n_rows, training.n_cols, options.rotation, options.report_rows,
                                           options.seed, options.threads);
}

bool RbigFitter::advance(std::size_t layers) {
  for (std::size_t added = 0; added < layers && !ended_; ++added) {
    fit_.layers.push_back(fit_layer(fit_.layers.size()));
    ended_ = update_and_stop() || fit_.layers.size() == options_.max_layers;
  }
  return ended_;
}

RbigFit RbigFitter::take() {
  if (options_.stop == StoppingRule::fixed) keep_all();
  fit_.flow.layers.resize(1 + fit_.layers_kept);
  return std::move(fit_);
}

void RbigFitter::append(Layer layer) {
  for (Rows* rows : {&training_, &validation_})
    if (!rows->empty()) forward(layer, rows->x, rows->log_det, options_.threads);
  fit_.flow.layers.push_back(std::move(layer));
}

/// Fits layer `index` to the training rows, sends all rows through it and reports.
RbigLayerReport RbigFitter::fit_layer(std::size_t index) {
  RbigLayerReport report;
  Layer layer{Identity{}, SplineMarginal{}};
  if ((index > 0 || rotate_first_) && options_.rotation != RotationKind::identity) find_rotation(index, layer, report);
  const arma::vec norm_before = arma::sum(arma::square(training_.x), 1);
  const arma::vec log_det_before = training_.log_det;
  report.j_m_before = j_m();
  layer.marginal = fit_marginal(index, report);
  // The rows are rotated already: only the marginal half is left.
  append({Identity{}, std::move(layer.marginal)});
  fit_.flow.layers.back().rotation = std::move(layer.rotation);

  const arma::vec log_det = training_.log_det - log_det_before;
  report.log_det_mean = arma::mean(log_det);
  report.j_change = mean_estimate(0.5 * (arma::sum(arma::square(training_.x), 1) - norm_before) - log_det);
  report.j_m_after = j_m();
  report.training_nll = training_.nll();
  report.validation_nll = validation_.nll();
  return report;
}

void RbigFitter::find_rotation(std::size_t index, Layer& layer, RbigLayerReport& report) {
  const std::size_t rotating = rotate_first_ ? index : index - 1;
  // Only principal axes whiten.
  const RotationKind kind = index == 0 ? RotationKind::pca : options_.rotation;
  RotationChoice choice = choose_rotation(training_.x, kind, rotating, options_.seed, options_.threads);
  report.rotation = choice.kind;
  report.rotation_converged = choice.converged;
  layer.rotation = Orthogonal{std::move(choice.q)};
  for (Rows* rows : {&training_, &validation_})
    if (!rows->empty()) rows->x = forward(layer.rotation, std::move(rows->x), options_.threads);
}

SplineMarginal RbigFitter::fit_marginal(std::size_t index, RbigLayerReport& report) {
  SplineMarginal marginal;
  marginal.columns.resize(training_.x.n_cols);
  const auto fit = [&](std::size_t d) { marginal.columns[d] = fit_column(index, fitted_rows(training_.x.col(d))); };
  if (index == 0 && !rotate_first_)
    parallel_for_columns(marginal.columns.size(), options_.threads, fit);
  else
    parallel_for(marginal.columns.size(), options_.threads, fit);
  for (const MonotoneSpline& spline : marginal.columns)
    report.mean_shrinkage += spline.shrinkage / static_cast<double>(marginal.columns.size());
  return marginal;
}

arma::vec RbigFitter::fitted_rows(const arma::vec& column) const {
  const std::size_t max_rows = options_.kde_rows;
  return max_rows > 0 && max_rows < column.n_elem ? evenly_spaced(column.memptr(), column.n_elem, max_rows) : column;
}

MonotoneSpline RbigFitter::fit_column(std::size_t index, const arma::vec& rows) const {
  MonotoneSpline spline = estimate_column(index, rows);
  if (const auto fit = tail_fit(index, rows)) fit_tails(spline, rows.memptr(), rows.n_elem, *fit);
  if (options_.shrink) shrink_column(index, rows, spline);
  return spline;
}

/// Only the first layer may have heavy tails: composed, they would grow without bound. The tails of a later layer must
/// not be steeper than those of standardising, or a row a little outside would move farther out at every layer; nor
/// much flatter, or samples would.
std::optional<TailFit> RbigFitter::tail_fit(std::size_t index, const arma::vec& rows) const {
  if (options_.tails == TailRule::kernel) return std::nullopt;
  if (index == 0) return TailFit{};
  const double slope = 1 / row_spread(rows);
  return TailFit{.heavy = false, .min_slope = min_tail_slope * slope, .max_slope = slope};
}

MonotoneSpline RbigFitter::estimate_column(std::size_t index, const arma::vec& rows) const {
  // A direction in which the rows do not differ, as with collinear columns and N < D, has no density: a narrow one is
  // used.
  if (!(arma::stddev(rows, 1) > min_row_spread)) return kde_spline(rows.memptr(), rows.n_elem, min_row_spread);
  const BandwidthRule rule = index == 0 ? options_.first_bandwidth : options_.bandwidth;
  const arma::vec searched = rule == BandwidthRule::rule_of_thumb ? rows : arma::vec(round_to_grid(rows, 1));
  return kde_spline(rows.memptr(), rows.n_elem, select_bandwidth(searched.memptr(), searched.n_elem, rule));
}

void RbigFitter::shrink_column(std::size_t index, const arma::vec& column, MonotoneSpline& spline) const {
  spline.shift = arma::mean(column);
  spline.scale = row_spread(column);
  spline.shrinkage =
      cross_fitted_shrinkage(spline, column.memptr(), column.n_elem, options_.min_shrinkage, tail_fit(index, column));
  // The first layer's maps, the only ones of the columns themselves, are applied in full.
  if (index > 0) spline.shrinkage = 1 - options_.step_fraction * (1 - spline.shrinkage);
}

Estimate RbigFitter::j_m() const {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (options_.report_rows == 0 && options_.stop != StoppingRule::information) return {unknown, unknown};
  return kernel_negentropy(training_.x, options_.report_rows, options_.threads);
}

void RbigFitter::keep_all() {
  fit_.layers_kept = fit_.layers.size();
  fit_.training_nll = fit_.layers.back().training_nll;
  fit_.validation_nll = fit_.layers.back().validation_nll;
}

bool RbigFitter::made_progress() const {
  const RbigLayerReport& last = fit_.layers.back();
  switch (options_.stop) {
    case StoppingRule::fixed:
      return true;
    case StoppingRule::likelihood:
      return last.validation_nll < fit_.validation_nll;
    case StoppingRule::information:
      // The first layer always counts: its columns were not chosen by a rotation.
      return fit_.layers.size() == 1 || last.j_m_before.value - fit_.null_negentropy.value >
                                            null_significance * fit_.null_negentropy.standard_error;
  }
  return false;
}

bool RbigFitter::update_and_stop() {
  if (made_progress()) keep_all();
  if (after_layer_ && !after_layer_(fit_)) return stop(StopReason::cancelled);
  // One column, or columns that are never mixed, are Gaussianized by the first layer; more would fit its noise.
  if (training_.x.n_cols == 1 || options_.rotation == RotationKind::identity) return stop(StopReason::one_dimension);
  if (fit_.layers.size() - fit_.layers_kept < options_.patience) return false;
  return stop(options_.stop == StoppingRule::likelihood ? StopReason::likelihood : StopReason::information);
}

bool RbigFitter::stop(StopReason reason) {
  fit_.stop_reason = reason;
  return true;
}

}  // namespace gaussianize::detail
