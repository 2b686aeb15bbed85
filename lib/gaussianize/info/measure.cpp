#include "gaussianize/info/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/info/detail/conditional_test.hpp"
#include "gaussianize/info/detail/copula_model.hpp"
#include "gaussianize/info/detail/group_information.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/detail/permutation_test.hpp"
#include "gaussianize/info/detail/scores.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/rotation/detail/covariance.hpp"

namespace gaussianize {
using namespace detail;
namespace {

void append(std::vector<std::string>& warnings, const std::vector<std::string>& more) {
  warnings.insert(warnings.end(), more.begin(), more.end());
}

arma::uvec range(arma::uword begin, arma::uword count) {
  arma::uvec columns(count);
  std::iota(columns.begin(), columns.end(), begin);
  return columns;
}

bool limits(const arma::mat& x, const MeasureOptions& options) {
  return options.method != MeasureMethod::gaussian_copula && options.max_rows > 0 && x.n_rows > options.max_rows;
}

/// As many rows as the options allow, evenly spaced.
arma::mat limited(const arma::mat& x, const MeasureOptions& options) {
  if (!limits(x, options)) return x;
  arma::uvec rows(options.max_rows);
  for (arma::uword i = 0; i < rows.n_elem; ++i) rows[i] = spaced_row(i, rows.n_elem, x.n_rows);
  return x.rows(rows);
}

void note_limit(Measure& measure, const arma::mat& x, const MeasureOptions& options) {
  if (limits(x, options)) measure.method += concat("; ", options.max_rows, " of ", x.n_rows, " rows");
}

/// What ranking the rows has shown.
void add_warnings(Measure& measure, const Scores& scores) {
  append(measure.warnings, scores.warnings);
  measure.suspect = measure.suspect || scores.collinear;
}

void require_same_rows(const arma::mat& x, const arma::mat& y, const char* what) {
  require(x.n_rows == y.n_rows, what, ": groups of ", x.n_rows, " and ", y.n_rows,
          " rows; both must hold the same observations");
  require(x.n_cols > 0 && y.n_cols > 0, what, ": a group without columns");
}

/// Of the whole's variance, what its parts have too: never more than all.
double shared_variance(const CopulaFit& whole, double parts) {
  return std::min(whole.variance, std::max(parts, 0.0));
}

}  // namespace

Measure to_bits(Measure measure) {
  const double log_2 = std::log(2.0);
  for (double* value :
       {&measure.value, &measure.standard_error, &measure.model_error, &measure.interval.low, &measure.interval.high})
    *value /= log_2;
  for (MeasureCandidate& candidate : measure.candidates)
    candidate.held_out = {candidate.held_out.value / log_2, candidate.held_out.standard_error / log_2};
  return measure;
}

PairwiseInformation to_bits(PairwiseInformation pairs) {
  pairs.value /= std::log(2.0);
  pairs.standard_error /= std::log(2.0);
  return pairs;
}

std::string_view name(MeasureMethod method) {
  switch (method) {
    case MeasureMethod::automatic:
      return "auto";
    case MeasureMethod::gaussian_copula:
      return "gaussian-copula";
    case MeasureMethod::rbig:
      return "rbig";
    case MeasureMethod::nearest_neighbour:
      return "nearest-neighbour";
  }
  return "unknown";
}

Measure total_correlation(const arma::mat& x, const MeasureOptions& options) {
  const Scores scores = normal_scores(limited(x, options), options, "total correlation");
  Steps steps(options, 2);
  const CopulaFit fit = fit_copula(scores, options);
  steps.done("copula");
  Measure measure = measure_of(fit.log_copula, fit, fit.description);
  if (scores.columns() == 1) measure.standard_error = 0.0;
  add_warnings(measure, scores);
  note_limit(measure, x, options);
  measure.p_value = independence_p_value(scores.z, options);
  steps.done("permutations");
  return measure;
}

Measure total_correlation(const Flow& flow, const arma::mat& x, const MeasureOptions& options) {
  const Scores scores = normal_scores(x, options, "total correlation of a model");
  const arma::vec log_p = log_density(flow, x, {.threads = options.threads, .progress = options.progress});
  Measure measure =
      measure_of(marginal_entropy_values(x, {.threads = options.threads}) + log_p, "the model's log density");
  measure.warnings = scores.warnings;
  return measure;
}

Measure joint_entropy(const arma::mat& x, const MeasureOptions& options) {
  const Scores scores = normal_scores(limited(x, options), options, "joint entropy");
  Steps steps(options, 1);
  const CopulaFit fit = fit_copula(scores, options);
  steps.done("copula");
  Measure measure =
      measure_of(marginal_entropy_values(limited(x, options), {.threads = options.threads}) - fit.log_copula, fit,
                 "spacings and " + fit.description);
  add_warnings(measure, scores);
  note_limit(measure, x, options);
  return measure;
}

Measure mutual_information(const arma::mat& x, const arma::mat& y, const MeasureOptions& options) {
  require_same_rows(x, y, "mutual information");
  const Scores scores = normal_scores(limited(arma::join_rows(x, y), options), options, "mutual information");
  const arma::uvec in_x = range(0, x.n_cols), in_y = range(x.n_cols, y.n_cols);
  Steps steps(options, 2);
  const CopulaFit fit = fit_groups(scores, in_x, in_y, options);
  steps.done("copulas");
  Measure measure = measure_of(fit.log_copula, fit, fit.description);
  add_warnings(measure, scores);
  note_limit(measure, x, options);
  set_p_value(measure, independence_p_value(scores.z.cols(in_x), scores.z.cols(in_y), options), options);
  steps.done("permutations");
  return measure;
}

Measure conditional_mutual_information(const arma::mat& x, const arma::mat& y, const arma::mat& z,
                                       const MeasureOptions& options) {
  require_same_rows(x, y, "conditional mutual information");
  require_same_rows(x, z, "conditional mutual information");
  const arma::mat all = limited(arma::join_rows(x, y, z), options);
  const Scores scores = normal_scores(all, options, "conditional mutual information");
  const arma::uvec in_x = range(0, x.n_cols), in_y = range(x.n_cols, y.n_cols),
                   in_z = range(x.n_cols + y.n_cols, z.n_cols);
  Steps steps(options, 2);
  CopulaFit whole = fit_copula(scores, options);
  const auto part = [&](const arma::uvec& columns) { return marginal_copula(whole, scores, columns, options); };
  const CopulaFit with_x = part(arma::join_cols(in_x, in_z)), with_y = part(arma::join_cols(in_y, in_z)),
                  given = part(in_z);
  whole.model_error += with_x.model_error + with_y.model_error + given.model_error;
  steps.done("copulas");
  Measure measure =
      measure_of(whole.log_copula - with_x.log_copula - with_y.log_copula + given.log_copula, whole, whole.description,
                 shared_variance(whole, with_x.variance + with_y.variance - given.variance));
  add_warnings(measure, scores);
  note_limit(measure, x, options);
  measure.p_value = independence_p_value(scores.z.cols(in_x), scores.z.cols(in_y), scores.z.cols(in_z), options);
  if (!measure.p_value && options.permutations > 0)
    measure.warnings.push_back(
        concat("no p-value: too few rows, or both groups depend on the conditioning columns in a ",
               "way too curved for regression on several columns to take out"));
  steps.done("permutations");
  return measure;
}

PairwiseInformation pairwise_mutual_information(const arma::mat& x, const MeasureOptions& options) {
  const Scores scores = normal_scores(limited(x, options), options, "pairwise mutual information");
  const std::size_t d = scores.columns();
  Steps steps(options, d);
  PairwiseInformation result;
  result.value.set_size(d, d);
  result.value.fill(std::numeric_limits<double>::quiet_NaN());
  result.standard_error = result.value;
  result.suspect.zeros(d, d);
  for (arma::uword i = 0; i < d; ++i) {
    // Pairs side by side, each on one thread: there are more of them than threads, and each is small.
    parallel_for(d - 1 - i, options.threads, [&](std::size_t offset) {
      const arma::uword j = i + 1 + offset;
      MeasureOptions serial = options;
      serial.threads = 1;
      serial.effort = MeasureEffort::fast;
      const CopulaFit fit = fit_copula(select_columns(scores, arma::uvec{i, j}), serial);
      const Measure measure = measure_of(fit.log_copula, fit, {});
      result.value(i, j) = result.value(j, i) = measure.value;
      result.standard_error(i, j) = result.standard_error(j, i) = measure.standard_error;
      result.suspect(i, j) = result.suspect(j, i) = measure.suspect ? 1 : 0;
    });
    steps.done("a column's pairs");
  }
  result.p_value = pairwise_p_values(scores.z, options);
  if (const arma::uword suspect = arma::accu(result.suspect) / 2; suspect > 0)
    result.warnings.push_back(concat("dependence may be underestimated: for ", suspect, " of ", d * (d - 1) / 2,
                                     " pairs of columns no copula fits, or the rows are too few to tell"));
  append(result.warnings, scores.warnings);
  return result;
}

arma::vec local_total_correlation(const arma::mat& x, const MeasureOptions& options) {
  return fit_copula(normal_scores(x, options, "local total correlation"), options).log_copula;
}

}  // namespace gaussianize
