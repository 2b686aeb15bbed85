#include "gaussianize/info/detail/copula_model.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/automatic_copula.hpp"
#include "gaussianize/info/detail/nearest_neighbour.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {
namespace {

std::string describe(const EllipticalCopula& copula) {
  if (std::isinf(copula.degrees)) return "Gaussian copula";
  return concat("Student-t copula, ", std::round(10 * copula.degrees) / 10, " degrees of freedom");
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

}  // namespace

CopulaFit elliptical_fit(EllipticalCopula ellipse, const Scores& scores, int threads) {
  CopulaFit fit;
  fit.elliptical = true;
  fit.log_copula = log_copula(ellipse, scores, threads) - optimism(ellipse, scores.rows());
  fit.description = describe(ellipse);
  fit.variance = fitting_variance(scores.columns(), scores.rows());
  fit.ellipse = std::move(ellipse);
  return fit;
}

namespace {

/// Of rows' terms by k and by 2k neighbours. These lie farther away, and find less: as much again is added, what is
/// missed where the error grows like the number of neighbours. Where it grows like its root, at edges, 2.4 times as
/// much is.
CopulaFit neighbour_fit(const arma::vec& terms, const arma::vec& of_twice, std::size_t columns,
                        const MeasureOptions& options) {
  CopulaFit fit;
  fit.neighbours = true;
  const double less = std::max(0.0, arma::mean(terms - of_twice));
  fit.log_copula = terms + less;
  fit.model_error = 1.5 * less;
  fit.description = concat(options.neighbours, " nearest neighbours");
  fit.noise = neighbour_noise(columns);
  if (columns > 3)
    fit.caveats.push_back(concat("dependence may be underestimated: nearest neighbours in ", columns,
                                 " columns are far, and mostly find less than there is"));
  return fit;
}

/// Twice the neighbours, where there are as many.
std::size_t twice(const Scores& scores, const MeasureOptions& options) {
  return std::min(2 * options.neighbours, scores.rows() - 1);
}

}  // namespace

CopulaFit neighbour_fit(const Scores& scores, const MeasureOptions& options) {
  const auto terms = [&](std::size_t k) { return neighbour_information(scores, k, options.threads); };
  return neighbour_fit(terms(options.neighbours), terms(twice(scores, options)), scores.columns(), options);
}

CopulaFit neighbour_fit(const Scores& x, const Scores& y, const MeasureOptions& options) {
  const auto terms = [&](std::size_t k) { return neighbour_information(x, y, k, options.threads); };
  return neighbour_fit(terms(options.neighbours), terms(twice(x, options)), x.columns() + y.columns(), options);
}

namespace {

CopulaFit checked(CopulaFit fit, const Scores& scores, const MeasureOptions& options) {
  compare_with_bounds(fit, scores, options);
  return fit;
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
      return checked(
          {.log_copula = rbig_information(scores, options), .description = "RBIG, less what N(0, I) rows show"}, scores,
          options);
    case MeasureMethod::nearest_neighbour:
      return checked(neighbour_fit(scores, options), scores, options);
  }
  throw std::invalid_argument("MeasureOptions::method is not one of the methods");
}

CopulaFit marginal_copula(const CopulaFit& whole, const Scores& scores, const arma::uvec& columns,
                          const MeasureOptions& options) {
  const Scores part = select_columns(scores, columns);
  if (part.columns() > 1 && whole.neighbours) return neighbour_fit(part, options);
  if (part.columns() == 1 || !whole.elliptical) return fit_copula(part, options);
  const CopulaFit base =
      elliptical_fit({whole.ellipse.degrees, whole.ellipse.correlation(columns, columns)}, part, options.threads);
  return whole.flexible ? fit_beyond(base, part, options) : base;
}

Measure measure_of(const arma::vec& terms, const CopulaFit& fit, std::string method, double less) {
  constexpr double min_error = 0.05, min_share = 0.1;  // nats, of the value: a model error that makes it suspect
  Estimate estimate = mean_estimate(terms);
  estimate.standard_error = std::hypot(fit.noise * estimate.standard_error, std::sqrt(fit.variance - less));
  Measure measure = measure_of(estimate, std::move(method));
  measure.model_error = fit.model_error;
  measure.interval.low -= fit.model_error;
  measure.interval.high += fit.model_error;
  measure.candidates = fit.candidates;
  measure.warnings = fit.caveats;
  if (fit.model_error > std::max(min_error, min_share * std::abs(estimate.value)))
    measure.warnings.push_back(concat(
        "the value may be off by ", std::round(1000 * fit.model_error) / 1000,
        " nats, more than a tenth of it: with half as many rows, or by neighbours twice as far, it is as much lower"));
  measure.suspect = !measure.warnings.empty();
  return measure;
}

}  // namespace gaussianize::detail
