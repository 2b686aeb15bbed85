#include "gaussianize/info/detail/group_information.hpp"

#include <algorithm>

#include "gaussianize/info/detail/automatic_copula.hpp"
#include "gaussianize/info/detail/canonical.hpp"
#include "gaussianize/info/detail/cross_fit.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {
namespace {

/// The group, or a bijection of it that is nearly N(0, I), as scores of their own.
Scores gaussianized(const Scores& scores, const arma::uvec& columns, const MeasureOptions& options) {
  constexpr std::size_t min_rows = 200;
  Scores group = select_columns(scores, columns);
  if (options.method != MeasureMethod::automatic || columns.n_elem < 2 || group.rows() < min_rows ||
      elliptical_fits(group, options))
    return group;
  RbigOptions rbig;
  rbig.search = false;
  rbig.max_layers = 60;
  rbig.patience = 10;
  rbig.step_fraction = 0.5;
  rbig.report_rows = 0;
  rbig.seed = options.seed;
  rbig.threads = options.threads;
  const Flow flow = fit_rbig(group.z, rbig).flow;
  return normal_scores(forward(flow, group.z, {.threads = options.threads}).z, options, "a Gaussianized group");
}

Scores joined(const Scores& x, const Scores& y) {
  return {arma::join_rows(x.level, y.level), x.quantile, arma::join_rows(x.z, y.z), false, {}};
}

/// I(X, Y) − I(X) − I(Y).
CopulaFit by_models(const Scores& x, const Scores& y, const MeasureOptions& options) {
  const Scores both = joined(x, y);
  CopulaFit whole = fit_copula(both, options);
  const CopulaFit of_x = marginal_copula(whole, both, arma::regspace<arma::uvec>(0, x.columns() - 1), options);
  const CopulaFit of_y =
      marginal_copula(whole, both, arma::regspace<arma::uvec>(x.columns(), both.columns() - 1), options);
  whole.log_copula -= of_x.log_copula + of_y.log_copula;
  whole.variance -= std::min(whole.variance, std::max(of_x.variance + of_y.variance, 0.0));
  whole.model_error += of_x.model_error + of_y.model_error;
  return whole;
}

/// Another fit that stands in for one, whose candidates it keeps.
CopulaFit instead_of(CopulaFit fit, CopulaFit other) {
  for (MeasureCandidate& candidate : fit.candidates) candidate.chosen = false;
  other.candidates.insert(other.candidates.begin(), fit.candidates.begin(), fit.candidates.end());
  return other;
}

/// `fit`, or another that finds more, by so many standard errors of the rows' differences, both without their allowance
/// for what fitting misses.
CopulaFit better_of(CopulaFit fit, CopulaFit other, double standard_errors) {
  if (!exceeds(other.log_copula - other.model_error, fit.log_copula - fit.model_error, standard_errors)) return fit;
  return instead_of(std::move(fit), std::move(other));
}

/// Canonical correlations of either group's features, on rows that they were not found in.
CopulaFit by_features(const Scores& x, const Scores& y, int threads) {
  const CrossFit found =
      cross_fit({"canonical correlations of features", arma::join_rows(x.z, y.z), canonical_fit(x.columns())}, threads);
  CopulaFit fit;
  fit.flexible = true;
  fit.model_error = shortfall(learning(found));
  fit.log_copula = found.log_ratio + fit.model_error;
  fit.description = found.name;
  fit.candidates = {{found.name, mean_estimate(found.log_ratio), true}};
  return fit;
}

}  // namespace

CopulaFit fit_groups(const Scores& scores, const arma::uvec& in_x, const arma::uvec& in_y,
                     const MeasureOptions& options) {
  constexpr std::size_t few_columns = 6, min_rows = 200, min_rows_per_column = 10;
  constexpr double significance = 2.0;
  const std::size_t n = scores.rows(), d = scores.columns();
  const Scores plain_x = select_columns(scores, in_x), plain_y = select_columns(scores, in_y);
  if (options.method == MeasureMethod::nearest_neighbour) return neighbour_fit(plain_x, plain_y, options);
  const Scores x = gaussianized(scores, in_x, options), y = gaussianized(scores, in_y, options);
  CopulaFit fit = by_models(x, y, options);
  if (options.method != MeasureMethod::automatic || d < 3) return fit;
  // Neighbours of the whole and of the parts are not as far apart: their errors would not cancel.
  if (fit.neighbours) fit = instead_of(std::move(fit), neighbour_fit(plain_x, plain_y, options));
  if (n >= min_rows && n >= min_rows_per_column * d)
    fit = better_of(std::move(fit), by_features(x, y, options.threads), significance);
  if (n <= options.neighbours || d > few_columns || !fit.flexible) return fit;
  return better_of(std::move(fit), neighbour_fit(plain_x, plain_y, options), 0.0);
}

}  // namespace gaussianize::detail
