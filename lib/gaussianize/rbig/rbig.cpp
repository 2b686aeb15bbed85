#include "gaussianize/rbig/rbig.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "gaussianize/core/error.hpp"
#include "gaussianize/marginal/coarse.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/marginal/negentropy.hpp"
#include "gaussianize/marginal/tail.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rbig/null_information.hpp"
#include "gaussianize/rbig/shrinkage.hpp"

namespace gaussianize {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// A layer has found something if its J_m exceeds the null mean by this many null standard deviations.
constexpr double significance = 3.0;
/// Of standardised rows, in any direction.
constexpr double least_spread = 1e-6;
/// Of a straight tail after the first layer, relative to standardising.
constexpr double min_tail_slope = 0.8;

/// Rows on their way through the layers.
struct Rows {
  arma::mat x;
  arma::vec log_det;

  explicit Rows(const arma::mat& data) : x(data), log_det(data.n_rows, arma::fill::zeros) {}
  bool empty() const { return x.n_rows == 0; }
  double nll() const {
    if (empty()) return nan;
    return arma::mean(0.5 * arma::sum(arma::square(x), 1) - log_det) -
           static_cast<double>(x.n_cols) * log_normal_pdf(0.0);
  }
};

void check_options(const RbigOptions& o) {
  require(o.max_layers > 0, "RbigOptions::max_layers is 0; at least 1 layer is needed");
  require(o.patience > 0, "RbigOptions::patience is 0; give at least 1");
  require(o.step > 0 && o.step <= 1, "RbigOptions::step is ", o.step, "; it must lie in (0, 1]");
  require(o.least_blend >= 0 && o.least_blend < 1, "RbigOptions::least_blend is ", o.least_blend,
          "; it must lie in [0, 1)");
  require(o.validation_fraction > 0 && o.validation_fraction < 1, "RbigOptions::validation_fraction is ",
          o.validation_fraction, "; it must lie between 0 and 1");
  require(o.kde_rows != 1, "RbigOptions::kde_rows is 1; a kernel estimate needs at least 2 rows (0 means all)");
  resolve_threads(o.threads);
}

/// The greedy fit, one layer at a time.
class Fitter {
 public:
  Fitter(const arma::mat& training, const arma::mat& validation, const RbigOptions& options)
      : options_(options), training_(training), validation_(validation) {
    fit_.training_rows = training.n_rows;
    fit_.validation_rows = validation.n_rows;
    fit_.flow.dimension = training.n_cols;
    append({Identity{}, fit_affine(training_.x)});
    fit_.training_nll = training_.nll();
    fit_.validation_nll = validation_.nll();
    if (options.stop == StoppingRule::information)
      fit_.null_information = null_information(training.n_rows, training.n_cols, options.rotation, options.report_rows,
                                               options.seed, options.threads);
  }

  RbigFit run() {
    for (std::size_t index = 0; index < options_.max_layers; ++index) {
      fit_.layers.push_back(fit_layer(index));
      if (judge_and_stop()) break;
    }
    if (options_.stop == StoppingRule::fixed) keep_all();
    fit_.flow.layers.resize(1 + fit_.layers_kept);
    return std::move(fit_);
  }

 private:
  void append(Layer layer) {
    for (Rows* rows : {&training_, &validation_})
      if (!rows->empty()) apply_to_rows(layer, rows->x, rows->log_det, options_.threads);
    fit_.flow.layers.push_back(std::move(layer));
  }

  /// Fits layer `index` to the training rows, sends all rows through it and reports.
  RbigLayerReport fit_layer(std::size_t index) {
    RbigLayerReport report;
    Layer layer{Identity{}, TabulatedMarginal{}};
    if ((index > 0 || options_.rotate_first) && options_.rotation != RotationKind::identity)
      rotate(index, layer, report);
    const arma::vec norm_before = arma::sum(arma::square(training_.x), 1);
    const arma::vec log_det_before = training_.log_det;
    report.j_m_before = j_m();
    layer.marginal = fit_marginal(index, report);
    // The rows are rotated already: only the marginal half is left to apply.
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

  void rotate(std::size_t index, Layer& layer, RbigLayerReport& report) {
    const std::size_t rotating = options_.rotate_first ? index : index - 1;
    RotationChoice choice = choose_rotation(training_.x, options_.rotation, rotating, options_.seed, options_.threads);
    report.rotation = choice.kind;
    report.rotation_converged = choice.converged;
    layer.rotation = Orthogonal{std::move(choice.q)};
    for (Rows* rows : {&training_, &validation_})
      if (!rows->empty()) rotate_rows(layer.rotation, rows->x, options_.threads);
  }

  TabulatedMarginal fit_marginal(std::size_t index, RbigLayerReport& report) {
    TabulatedMarginal marginal;
    marginal.columns.resize(training_.x.n_cols);
    const auto fit = [&](std::size_t d) { marginal.columns[d] = fit_column(index, fitted_rows(training_.x.col(d))); };
    if (index == 0 && !options_.rotate_first)
      parallel_for_columns(marginal.columns.size(), options_.threads, fit);
    else
      parallel_for(marginal.columns.size(), options_.threads, fit);
    for (const MonotoneTable& table : marginal.columns)
      report.mean_blend += table.blend / static_cast<double>(marginal.columns.size());
    return marginal;
  }

  arma::vec fitted_rows(const arma::vec& column) const {
    const std::size_t most = options_.kde_rows;
    return most > 0 && most < column.n_elem ? evenly_spaced(column.memptr(), column.n_elem, most) : column;
  }

  MonotoneTable fit_column(std::size_t index, const arma::vec& rows) const {
    MonotoneTable table = estimate_column(index, rows);
    if (const auto fit = tail_fit(index, rows)) fit_tails(table, rows.memptr(), rows.n_elem, *fit);
    if (options_.shrink) shrink_column(index, rows, table);
    return table;
  }

  /// Only the layer that meets the data may have heavy tails: composed, they would grow without bound. Nor may a later
  /// one be steeper far out than standardising is, or a row a little outside would be thrown farther out by every
  /// layer; or much flatter, or draws would be.
  std::optional<TailFit> tail_fit(std::size_t index, const arma::vec& rows) const {
    if (options_.tails == TailRule::kernel) return std::nullopt;
    if (index == 0) return TailFit{};
    const double slope = 1 / spread(rows);
    return TailFit{.heavy = false, .min_slope = min_tail_slope * slope, .max_slope = slope};
  }

  static double spread(const arma::vec& rows) { return std::max(arma::stddev(rows, 1), least_spread); }

  MonotoneTable estimate_column(std::size_t index, const arma::vec& rows) const {
    // A direction in which the rows do not differ, as collinear columns and N < D make, has no density of its own: it
    // is given a narrow one.
    if (!(arma::stddev(rows, 1) > least_spread)) return tabulate_kde(rows.memptr(), rows.n_elem, least_spread);
    const BandwidthRule rule = index == 0 ? options_.first_bandwidth : options_.bandwidth;
    const arma::vec searched = rule == BandwidthRule::rule_of_thumb ? rows : arma::vec(coarse(rows, 1));
    return tabulate_kde(rows.memptr(), rows.n_elem, select_bandwidth(searched.memptr(), searched.n_elem, rule));
  }

  void shrink_column(std::size_t index, const arma::vec& column, MonotoneTable& table) const {
    table.shift = arma::mean(column);
    table.scale = spread(column);
    table.blend =
        cross_fitted_blend(table, column.memptr(), column.n_elem, options_.least_blend, tail_fit(index, column));
    // The first layer's maps are the only ones that see the columns as they are: they go the whole way.
    if (index > 0) table.blend = 1 - options_.step * (1 - table.blend);
  }

  Estimate j_m() const {
    if (options_.report_rows == 0 && options_.stop != StoppingRule::information) return {nan, nan};
    return kernel_negentropy(training_.x, options_.report_rows, options_.threads);
  }

  void keep_all() {
    fit_.layers_kept = fit_.layers.size();
    fit_.training_nll = fit_.layers.back().training_nll;
    fit_.validation_nll = fit_.layers.back().validation_nll;
  }

  bool made_progress() const {
    const RbigLayerReport& last = fit_.layers.back();
    switch (options_.stop) {
      case StoppingRule::fixed:
        return true;
      case StoppingRule::likelihood:
        return last.validation_nll < fit_.validation_nll;
      case StoppingRule::information:
        // The first layer is judged by its own columns, which no rotation was chosen for.
        return fit_.layers.size() == 1 || last.j_m_before.value - fit_.null_information.value >
                                              significance * fit_.null_information.standard_error;
    }
    return false;
  }

  bool judge_and_stop() {
    if (made_progress()) keep_all();
    if (options_.progress) {
      const Progress progress{
          fit_.layers.size(), options_.max_layers,
          concat("layer ", fit_.layers.size(), ": ", name(fit_.layers.back().rotation), ", training NLL ",
                 fit_.layers.back().training_nll, ", held-out NLL ", fit_.layers.back().validation_nll)};
      if (!options_.progress(progress)) return stop(StopReason::cancelled);
    }
    // One column, or columns that are never mixed, are Gaussianized by the first layer; more would fit its noise.
    if (training_.x.n_cols == 1 || options_.rotation == RotationKind::identity) return stop(StopReason::one_dimension);
    if (fit_.layers.size() - fit_.layers_kept < options_.patience) return false;
    return stop(options_.stop == StoppingRule::likelihood ? StopReason::likelihood : StopReason::information);
  }

  bool stop(StopReason reason) {
    fit_.stop_reason = reason;
    return true;
  }

  const RbigOptions& options_;
  Rows training_, validation_;
  RbigFit fit_;
};

/// Columns that are not constant. Throws for the first that is, unless they may be dropped.
arma::uvec usable_columns(const arma::mat& x, ConstantColumns rule) {
  std::vector<arma::uword> kept;
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    if (arma::any(x.col(d) != x(0, d)))
      kept.push_back(d);
    else if (rule == ConstantColumns::error)
      throw DataError(concat("column ", d, " is constant (", x(0, d), "): it has no density; drop it"));
  }
  if (kept.empty()) throw DataError("every column is constant: there is nothing to fit");
  return kept;
}

}  // namespace

RbigOptions paper_rbig_options() {
  return {.rotation = RotationKind::pca,
          .first_bandwidth = BandwidthRule::rule_of_thumb,
          .tails = TailRule::kernel,
          .kde_rows = 50000,
          .shrink = false,
          .stop = StoppingRule::fixed,
          .max_layers = 5};
}

RbigFit fit_rbig(const arma::mat& x, const arma::mat& validation, const RbigOptions& options) {
  check_options(options);
  require(x.n_rows >= 2 && x.n_cols >= 1, "fit_rbig: ", x.n_rows, " × ", x.n_cols,
          " data; at least 2 rows and 1 column are needed");
  require(validation.n_rows == 0 || validation.n_cols == x.n_cols, "fit_rbig: ", x.n_cols, " training and ",
          validation.n_cols, " validation columns; they must be the same columns");
  require(options.stop != StoppingRule::likelihood || validation.n_rows > 0,
          "fit_rbig: the likelihood rule needs validation rows, or more rows to hold some out; choose another rule");
  require_finite(x, "fit_rbig");
  require_finite(validation, "fit_rbig, validation");
  const BlasGuard blas;
  const arma::uvec kept = usable_columns(x, options.constant_columns);
  const arma::mat held_out = validation.n_rows > 0 ? arma::mat(validation.cols(kept)) : arma::mat(0, kept.n_elem);
  RbigFit fit = Fitter(x.cols(kept), held_out, options).run();
  fit.kept = kept;
  return fit;
}

RbigFit fit_rbig(const arma::mat& x, const RbigOptions& options) {
  check_options(options);
  require_finite(x, "fit_rbig");
  if (options.stop != StoppingRule::likelihood) return fit_rbig(x, arma::mat(), options);
  const auto held = static_cast<std::size_t>(std::ceil(options.validation_fraction * static_cast<double>(x.n_rows)));
  require(x.n_rows >= held + 2, "fit_rbig: ", x.n_rows, " rows leave fewer than 2 to fit after ", held,
          " are held out; pass more rows or another stopping rule");
  RandomStream stream(options.seed, Purpose::split);
  const std::vector<std::size_t> order = permutation(x.n_rows, stream);
  arma::uvec rows(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rows[i] = order[i];
  return fit_rbig(x.rows(rows.tail(x.n_rows - held)), x.rows(rows.head(held)), options);
}

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::max_layers:
      return "the most layers allowed";
    case StopReason::likelihood:
      return "held-out likelihood no longer rises";
    case StopReason::information:
      return "no more information than N(0, I) shows by chance";
    case StopReason::one_dimension:
      return "columns are not mixed, so one layer says all";
    case StopReason::cancelled:
      return "cancelled by the caller";
  }
  return "unknown";
}

}  // namespace gaussianize
