#include "gaussianize/info/detail/copula_model.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/nearest_neighbour.hpp"
#include "gaussianize/info/detail/residual_flow.hpp"
#include "gaussianize/info/detail/source_copula.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {
namespace {

/// Rounds of fit_ica_copula: fewer columns mix less, so each tells less of the sources' own scale.
constexpr std::size_t few_columns = 4;
std::size_t ica_rounds(std::size_t columns) {
  return columns <= few_columns ? 8 : 3;
}

/// Independent sources must beat the elliptical copula by this many standard errors of the rows' differences.
constexpr double source_significance = 2.0;
/// Nearest neighbours must beat a base that no RBIG improved by this many of theirs, `noise` included. With more than
/// three columns they miss more than such a base does; with three, their own bias, a few thousandths of a nat, is
/// significant in many rows.
constexpr double neighbour_significance = 3.0;
constexpr std::size_t max_rows_of_three = 2000;
/// Beyond, nearest neighbours are far, and take long to find.
constexpr std::size_t max_neighbour_columns = 10;

std::string describe(const EllipticalCopula& copula) {
  if (std::isinf(copula.degrees)) return "Gaussian copula";
  return concat("Student-t copula, ", std::round(10 * copula.degrees) / 10, " degrees of freedom");
}

CopulaFit elliptical_fit(EllipticalCopula ellipse, const Scores& scores, int threads) {
  CopulaFit fit;
  fit.elliptical = true;
  fit.log_copula = log_copula(ellipse, scores, threads) - optimism(ellipse, scores.rows());
  fit.description = describe(ellipse);
  fit.variance = fitting_variance(scores.columns(), scores.rows());
  fit.ellipse = std::move(ellipse);
  return fit;
}

/// Gaussian, or Student's t if its one parameter more pays for itself.
CopulaFit fit_elliptical(const Scores& scores, int threads) {
  CopulaFit gaussian = elliptical_fit(fit_gaussian_copula(scores, threads), scores, threads);
  if (scores.rows() <= scores.columns() + 2) return gaussian;
  CopulaFit student = elliptical_fit(fit_student_copula(scores, gaussian.ellipse, threads), scores, threads);
  // Optimism is off already, half of Akaike's penalty with it: the other half remains.
  const auto n = static_cast<double>(scores.rows());
  return arma::mean(student.log_copula) > arma::mean(gaussian.log_copula) + 0.5 / n ? student : gaussian;
}

std::optional<CopulaFit> fit_sources(const Scores& scores, const arma::vec& base, const MeasureOptions& options,
                                     arma::mat& residual) {
  constexpr std::size_t min_rows = 200, min_rows_per_column = 10;
  const std::size_t n = scores.rows(), d = scores.columns();
  if (d < 2 || n < min_rows || n < min_rows_per_column * d) return std::nullopt;
  if (!sources_explain_more(scores, base, d <= few_columns ? ica_rounds(d) : 1, source_significance, options))
    return std::nullopt;
  const IcaCopula copula = fit_ica_copula(scores, ica_rounds(d), options);
  CopulaFit fit;
  // Half a nat for each entry of the unmixing matrix, as for any parameter fitted by likelihood.
  fit.log_copula = copula.log_copula - static_cast<double>(d * (d - 1)) / (2 * static_cast<double>(n));
  fit.description = "independent sources behind increasing maps";
  // Sources found with an error are blurred further than ranks blur them, and both corrections rest on the model.
  fit.variance = copula.blur * copula.blur;
  if (!exceeds(fit.log_copula, base, source_significance)) return std::nullopt;
  residual.set_size(arma::size(copula.sources));
  for (arma::uword k = 0; k < residual.n_cols; ++k) {
    const arma::uvec rank = ranks(copula.sources.col(k));
    for (arma::uword i = 0; i < n; ++i) residual(i, k) = scores.quantile[2 * rank[i]];
  }
  return fit;
}

void add_flow(CopulaFit& fit, const arma::mat& residual, const MeasureOptions& options) {
  bool unmodelled = false;
  const std::optional<ResidualFlow> flow = fit_residual_flow(residual, options, &unmodelled);
  if (unmodelled)
    fit.caveats.push_back(concat(
        "dependence may be underestimated: what this model leaves is not normal, and RBIG finds nothing further"));
  if (!flow) return;
  fit.flow = true;
  fit.log_copula += flow->log_ratio;
  fit.description += ", then RBIG";
  fit.caveats.push_back(
      concat("dependence may be underestimated: no simple copula fits, and RBIG mostly finds less than there is"));
}

/// Mardia's kurtosis: how many standard errors mean ‖z‖⁴ is from that of whitened normal rows.
double mardia(const arma::mat& z) {
  const auto n = static_cast<double>(z.n_rows), d = static_cast<double>(z.n_cols);
  const double kurtosis = arma::mean(arma::square(arma::sum(arma::square(z), 1)));
  return (kurtosis - d * (d + 2) * (n - 1) / (n + 1)) / std::sqrt(8 * d * (d + 2) / n);
}

/// Why an elliptical copula may underestimate the dependence: too few rows to find anything else, or lengths that do
/// not agree.
void add_caveats(CopulaFit& fit, const arma::mat& residual) {
  constexpr std::size_t rows_per_column = 100, rows_per_square = 4;
  constexpr double min_deviation = 4.0;
  const std::size_t n = residual.n_rows, d = residual.n_cols;
  const std::size_t enough = std::max(rows_per_column * d, rows_per_square * d * d);
  if (n < enough)
    fit.caveats.push_back(concat(
        "dependence may be underestimated: ", n, " rows show no more than an elliptical copula of ", d,
        " columns, but independent sources behind it could pass unseen; about ", enough, " rows would show them"));
  // Two or three sources with heavy tails look like a t copula for long: measured in docs/accuracy.md.
  constexpr std::size_t few = 3, rows_for_few = 5000;
  constexpr double heavy = 10;  // degrees of freedom
  if (n >= enough && n < rows_for_few && d <= few && fit.ellipse.degrees < heavy)
    fit.caveats.push_back(concat("dependence may be underestimated: ", n, " rows of ", d,
                                 " columns do not tell a Student-t copula from independent sources with heavy tails, "
                                 "which depend more; about ",
                                 rows_for_few, " rows would"));
  const double deviation = n > d + 1 ? mardia(residual) : 0.0;
  if (std::abs(deviation) > min_deviation)
    fit.caveats.push_back(
        concat("dependence may be underestimated: the copula does not fit. What it leaves has tails that are too ",
               deviation < 0 ? "light" : "heavy", " for a normal distribution, by ", std::round(std::abs(deviation)),
               " standard errors"));
}

/// The rows' terms of the total correlation by RBIG [Laparra, Camps-Valls & Malo 2011]: what every layer's
/// rotation turns into J_m, which its marginal maps then remove, less the J_m that the same search finds in N(0, I)
/// rows of the same number. Layers follow until they find no more than that. The terms' spread, and with it the
/// standard error, is that of the fitted flow's log density.
arma::vec rbig_information(const Scores& scores, const MeasureOptions& options) {
  RbigOptions rbig;
  rbig.rotation = RotationKind::automatic;
  rbig.first_map = FirstMap::whitening;
  rbig.search = false;
  rbig.step_fraction = 1;
  rbig.first_bandwidth = BandwidthRule::rule_of_thumb;
  rbig.stop = StoppingRule::information;
  rbig.patience = 3;
  rbig.max_layers = 100;
  rbig.report_rows = scores.rows();  // all of them: the standard error is that of all
  rbig.seed = options.seed;
  rbig.threads = options.threads;
  const RbigFit fit = fit_rbig(scores.z, rbig);
  // A kernel map leaves some J_m behind, which the next layer meets again; and what is left when nothing more is found
  // is what a leave-one-out estimate gives for normal columns.
  const double normal = fit.layers.back().j_m_after.value;
  double information = 0;
  for (std::size_t l = 0; l < fit.layers_kept; ++l)
    information +=
        fit.layers[l].j_m_before.value - fit.layers[l].j_m_after.value - (fit.null_negentropy.value - normal);
  const arma::vec log_ratio = log_density(fit.flow, scores.z, {.threads = options.threads}) - log_normal_rows(scores.z);
  return log_ratio + (information - arma::mean(log_ratio));
}

CopulaFit neighbour_fit(const Scores& scores, const MeasureOptions& options) {
  CopulaFit fit;
  fit.neighbours = true;
  fit.log_copula = neighbour_information(scores, options.neighbours, options.threads);
  fit.description = concat(options.neighbours, " nearest neighbours");
  // Rows share neighbours, the more so the more columns there are: measured in docs/accuracy.md.
  fit.noise = 1 + 0.1 * static_cast<double>(std::min(scores.columns(), max_neighbour_columns));
  if (scores.columns() > 3)
    fit.caveats.push_back(concat("dependence may be underestimated: nearest neighbours in ", scores.columns(),
                                 " columns are far, and mostly find less than there is"));
  return fit;
}

CopulaFit fit_automatic(const Scores& scores, const MeasureOptions& options) {
  CopulaFit fit = fit_elliptical(scores, options.threads);
  arma::mat residual;
  if (std::optional<CopulaFit> sources = fit_sources(scores, fit.log_copula, options, residual))
    fit = std::move(*sources);
  else
    residual = whiten(fit.ellipse, scores, options.threads);
  add_flow(fit, residual, options);
  if (fit.elliptical && !fit.flow) add_caveats(fit, residual);
  const std::size_t n = scores.rows(), d = scores.columns();
  const bool few = n > options.neighbours && (d == 2 || (d == 3 && n <= max_rows_of_three));
  if (fit.flow ? d > max_neighbour_columns : !few) return fit;
  CopulaFit neighbours = neighbour_fit(scores, options);
  return exceeds(neighbours.log_copula, fit.log_copula, fit.flow ? 0 : neighbour_significance * neighbours.noise)
             ? neighbours
             : fit;
}

}  // namespace

CopulaFit fit_copula(const Scores& scores, const MeasureOptions& options) {
  if (scores.columns() == 1) {
    CopulaFit fit = elliptical_fit(fit_gaussian_copula(scores, options.threads), scores, options.threads);
    fit.log_copula.zeros();
    fit.description = "one column depends on nothing";
    return fit;
  }
  switch (options.method) {
    case MeasureMethod::automatic:
      return fit_automatic(scores, options);
    case MeasureMethod::gaussian_copula:
      return elliptical_fit(fit_gaussian_copula(scores, options.threads), scores, options.threads);
    case MeasureMethod::rbig:
      if (scores.rows() < 20 || scores.rows() <= scores.columns())
        throw DataError(
            concat("RBIG: ", scores.rows(), " rows for ", scores.columns(),
                   " columns are too few; it needs at least 20, and more than columns. Use another method"));
      return {.log_copula = rbig_information(scores, options), .description = "RBIG, less what N(0, I) rows show"};
    case MeasureMethod::nearest_neighbour:
      return neighbour_fit(scores, options);
  }
  throw std::invalid_argument("MeasureOptions::method is not one of the methods");
}

CopulaFit marginal_copula(const CopulaFit& whole, const Scores& scores, const arma::uvec& columns,
                          const MeasureOptions& options) {
  const Scores part = select_columns(scores, columns);
  if (part.columns() > 1 && whole.neighbours) return neighbour_fit(part, options);
  if (part.columns() == 1 || !whole.elliptical) return fit_copula(part, options);
  CopulaFit fit =
      elliptical_fit({whole.ellipse.degrees, whole.ellipse.correlation(columns, columns)}, part, options.threads);
  if (whole.flow) add_flow(fit, whiten(fit.ellipse, part, options.threads), options);
  return fit;
}

Measure measure_of(const arma::vec& terms, const CopulaFit& fit, std::string method, double less) {
  Estimate estimate = mean_estimate(terms);
  estimate.standard_error = std::hypot(fit.noise * estimate.standard_error, std::sqrt(fit.variance - less));
  Measure measure = measure_of(estimate, std::move(method));
  measure.warnings = fit.caveats;
  measure.suspect = !fit.caveats.empty();
  return measure;
}

}  // namespace gaussianize::detail
