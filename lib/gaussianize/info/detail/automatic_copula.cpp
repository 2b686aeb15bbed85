#include "gaussianize/info/detail/automatic_copula.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/cross_fit.hpp"
#include "gaussianize/info/detail/nearest_neighbour.hpp"
#include "gaussianize/info/detail/permutation_test.hpp"
#include "gaussianize/info/detail/residual_flow.hpp"
#include "gaussianize/info/detail/source_copula.hpp"
#include "gaussianize/info/entropy.hpp"

namespace gaussianize::detail {
namespace {

/// Rounds of fit_ica_copula: fewer columns mix less, so each tells less of the sources' own scale.
constexpr std::size_t few_columns = 4;
std::size_t ica_rounds(std::size_t columns) {
  return columns <= few_columns ? 8 : 3;
}

/// Independent sources must beat the elliptical copula by this many standard errors of the rows' differences.
constexpr double source_significance = 2.0;
/// Nearest neighbours must beat a base that nothing improved by this many of theirs, `noise` included. With more than
/// three columns they miss more than such a base does; with three, their own bias, a few thousandths of a nat, is
/// significant in many rows.
constexpr double neighbour_significance = 3.0;
constexpr std::size_t max_rows_of_three = 2000;
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
  if (d < 2 || n < min_rows || n < min_rows_per_column * d || options.effort == MeasureEffort::fast)
    return std::nullopt;
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

/// Whether rows pass for N(0, I): the least normal directions of one half look normal in the other, and a permutation
/// test of independence finds nothing.
bool passes_for_normal(const arma::mat& z, std::size_t permutations, double level, const MeasureOptions& options) {
  if (!looks_normal(z, options)) return false;
  MeasureOptions test = options;
  test.permutations = permutations;
  test.progress = {};
  return independence_p_value(z, test).value_or(1.0) > level;
}

/// Whether there is no reason to try more: quick, and wrong for one normal sample in twenty or so.
bool nothing_left(const arma::mat& z, const MeasureOptions& options) {
  return passes_for_normal(z, 39, 0.03, options);
}

/// Whether there is no reason to say that something is missing.
bool nothing_missed(const arma::mat& z, const MeasureOptions& options) {
  return passes_for_normal(z, 199, 0.01, options);
}

/// `then`, fitted to what another density leaves of the rows, after that density.
CrossFit after(const CrossFit& start, CrossFit then) {
  then.name = concat(start.name, ", then ", then.name);
  then.log_ratio += start.log_ratio;
  then.smaller = [before = start.smaller, more = then.smaller] { return arma::vec(before() + more()); };
  return then;
}

/// What starts from the scores themselves.
std::vector<CrossFitPlan> plans_from_scores(const Scores& scores, const MeasureOptions& options) {
  constexpr std::size_t max_partition_columns = 10;
  std::vector<CrossFitPlan> plans{{"trees of pairs", scores.z, pair_trees_fit()}};
  if (scores.columns() <= max_partition_columns) plans.push_back({"boxes", scores.z, partition_fit(options)});
  return plans;
}

/// The base first, then what is tried beside it. The bias of fitting the base is known and off its terms, so that more
/// rows would not raise them. What could not be fitted becomes a caveat of the base.
std::vector<CrossFit> candidates(CopulaFit& base, const arma::mat& residual, const Scores& scores,
                                 const MeasureOptions& options) {
  std::vector<CrossFit> list{
      {base.description, base.log_copula, residual, [terms = base.log_copula] { return terms; }}};
  for (CrossFit& one : cross_fit(plans_from_scores(scores, options), options.threads)) list.push_back(std::move(one));
  const CrossFit start = arma::mean(list[1].log_ratio) > arma::mean(list[0].log_ratio) ? list[1] : list[0];
  const std::vector<CrossFitPlan> plans{{"RBIG", start.rest, rbig_fit(options)}, {"GF", start.rest, gf_fit(options)}};
  try {
    for (CrossFit& one : cross_fit(plans, options.threads)) list.push_back(after(start, std::move(one)));
  } catch (const NumericalError& error) {
    base.caveats.push_back(concat("dependence may be underestimated: RBIG and GF could not be fitted: ", error.what()));
  }
  return list;
}

/// The dependence that nearest neighbours find in rows that should be N(0, I), if it is significant; else 0.
double left_in(const arma::mat& rest, const MeasureOptions& options) {
  constexpr double significance = 2.0;
  if (rest.is_empty() || rest.n_cols > max_neighbour_columns) return 0.0;
  const Scores scores = normal_scores(rest, options, "what a model leaves");
  const Estimate found = mean_estimate(neighbour_information(scores, options.neighbours, options.threads));
  return found.value > significance * neighbour_noise(rest.n_cols) * found.standard_error ? found.value : 0.0;
}

const CrossFit& best_of(const std::vector<CrossFit>& list) {
  return *std::max_element(list.begin(), list.end(), [](const CrossFit& a, const CrossFit& b) {
    return arma::mean(a.log_ratio) < arma::mean(b.log_ratio);
  });
}

}  // namespace

CopulaFit fit_beyond(CopulaFit fit, const arma::mat& residual, const Scores& scores, const MeasureOptions& options) {
  constexpr std::size_t min_rows = 200, min_rows_per_column = 10;
  constexpr double significance = 2.0;
  const std::size_t n = scores.rows(), d = scores.columns();
  if (d < 2 || n < min_rows || n < min_rows_per_column * d || options.effort == MeasureEffort::fast) return fit;
  if (nothing_left(residual, options)) return fit;
  std::vector<CrossFit> list = candidates(fit, residual, scores, options);
  const arma::mat rest = best_of(list).rest;
  list.push_back(mixture_of(list));
  const CrossFit& best = best_of(list);
  const bool better = exceeds(best.log_ratio, fit.log_copula, significance);
  for (const CrossFit& one : list)
    fit.candidates.push_back({one.name, mean_estimate(one.log_ratio), &one == (better ? &best : &list.front())});
  if (!better) {
    if (!nothing_missed(residual, options))
      fit.caveats.push_back(
          concat("dependence may be underestimated: what this model leaves is not N(0, I), and no candidate finds "
                 "anything further"));
    return fit;
  }
  fit.flexible = true;
  fit.model_error = std::max(shortfall(learning(best)), left_in(rest, options));
  fit.log_copula = best.log_ratio + fit.model_error;
  fit.description = best.name;
  fit.variance = 0;
  return fit;
}

CopulaFit fit_beyond(CopulaFit base, const Scores& scores, const MeasureOptions& options) {
  const arma::mat residual = whiten(base.ellipse, scores, options.threads);
  return fit_beyond(std::move(base), residual, scores, options);
}

void compare_with_bounds(CopulaFit& fit, const Scores& scores, const MeasureOptions& options) {
  constexpr std::size_t min_rows = 200, min_rows_per_column = 10;
  constexpr double significance = 3.0;
  const std::size_t n = scores.rows(), d = scores.columns();
  if (d < 2 || n < min_rows || n < min_rows_per_column * d) return;
  for (const CrossFit& bound : cross_fit(plans_from_scores(scores, options), options.threads)) {
    if (!exceeds(bound.log_ratio, fit.log_copula, significance)) continue;
    fit.caveats.push_back(concat("dependence is underestimated: ", bound.name, " find ",
                                 std::round(1000 * arma::mean(bound.log_ratio)) / 1000,
                                 " nats in rows that they were not fitted to"));
  }
}

bool elliptical_fits(const Scores& scores, const MeasureOptions& options) {
  const CopulaFit fit = fit_elliptical(scores, options.threads);
  return nothing_left(whiten(fit.ellipse, scores, options.threads), options);
}

CopulaFit fit_automatic(const Scores& scores, const MeasureOptions& options) {
  CopulaFit fit = fit_elliptical(scores, options.threads);
  arma::mat residual;
  if (std::optional<CopulaFit> sources = fit_sources(scores, fit.log_copula, options, residual))
    fit = std::move(*sources);
  else
    residual = whiten(fit.ellipse, scores, options.threads);
  fit = fit_beyond(std::move(fit), residual, scores, options);
  if (fit.elliptical && !fit.flexible) add_caveats(fit, residual);
  const std::size_t n = scores.rows(), d = scores.columns();
  const bool few = n > options.neighbours && (d == 2 || (d == 3 && n <= max_rows_of_three));
  if (fit.flexible ? d > max_neighbour_columns : !few) return fit;
  const double required = fit.flexible ? 0 : neighbour_significance * neighbour_noise(d);
  const arma::vec found = neighbour_information(scores, options.neighbours, options.threads);
  if (!exceeds(found, fit.log_copula - fit.model_error, required)) return fit;
  CopulaFit neighbours = neighbour_fit(scores, options);
  if (fit.flexible && !exceeds(neighbours.log_copula, fit.log_copula, 0)) return fit;
  neighbours.candidates = std::move(fit.candidates);
  for (MeasureCandidate& candidate : neighbours.candidates) candidate.chosen = false;
  return neighbours;
}

}  // namespace gaussianize::detail
