#include "gaussianize/info/divergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/elliptical.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/detail/nearest_neighbour.hpp"
#include "gaussianize/info/detail/permutation_test.hpp"
#include "gaussianize/info/detail/residual_flow.hpp"
#include "gaussianize/info/detail/scores.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::size_t max_blocks = 20;
constexpr int warm_steps = 8;

EllipticalDensity fit_density(const arma::mat& x, MeasureMethod method) {
  return method == MeasureMethod::automatic ? fit_elliptical_density(x) : fit_normal_density(x);
}

/// The same family without some of the rows.
EllipticalDensity refit(const EllipticalDensity& whole, const arma::mat& x) {
  return std::isinf(whole.degrees) ? fit_normal_density(x) : fit_student_density(x, whole, warm_steps);
}

/// How many blocks a sample is cut into; one row each, if it is small.
std::size_t blocks_of(const arma::mat& x) {
  return x.n_rows < 2 * max_blocks ? x.n_rows : max_blocks;
}

/// The sample without one block, which is every `blocks`-th row from `block` on.
arma::mat without_block(const arma::mat& x, std::size_t block) {
  const std::size_t blocks = blocks_of(x);
  std::vector<arma::uword> kept;
  for (std::size_t i = 0; i < x.n_rows; ++i)
    if (i % blocks != block) kept.push_back(i);
  return x.rows(arma::uvec(kept));
}

/// The delete-a-block jackknife of a value: what to add for its bias, and its variance.
struct Jackknife {
  double correction = 0.0, variance = 0.0;
};

template <class Value>
Jackknife jackknife(double whole, std::size_t blocks, int threads, Value without) {
  arma::vec values(blocks);
  parallel_for(blocks, threads, [&](std::size_t b) { values[b] = without(b); });
  const auto g = static_cast<double>(blocks);
  return {(g - 1) * (whole - arma::mean(values)), (g - 1) / g * arma::accu(arma::square(values - arma::mean(values)))};
}

/// mean over p of log p̂ − log q̂ for elliptical densities, with bias and variance of both fits.
Estimate elliptical_divergence(const arma::mat& p, const arma::mat& q, const EllipticalDensity& of_p,
                               const EllipticalDensity& of_q, int threads) {
  const double log_p = arma::mean(log_density(of_p, p)), log_q = arma::mean(log_density(of_q, p));
  // A density needs more rows than columns, also without a block of them; with fewer the error is not known.
  if (std::min(p.n_rows, q.n_rows) < p.n_cols + 3) return {log_p - log_q, std::numeric_limits<double>::quiet_NaN()};
  const Jackknife from_p = jackknife(log_p - log_q, blocks_of(p), threads, [&](std::size_t b) {
    const arma::mat rows = without_block(p, b);
    return arma::mean(log_density(refit(of_p, rows), rows) - log_density(of_q, rows));
  });
  const Jackknife from_q = jackknife(log_p - log_q, blocks_of(q), threads, [&](std::size_t b) {
    return log_p - arma::mean(log_density(refit(of_q, without_block(q, b)), p));
  });
  return {log_p - log_q + from_p.correction + from_q.correction, std::sqrt(from_p.variance + from_q.variance)};
}

std::string describe(const EllipticalDensity& density, bool flow) {
  std::string text = "normal";
  if (std::isfinite(density.degrees)) text = concat("Student-t, ", std::round(10 * density.degrees) / 10, " d.f.");
  return flow ? text + ", then RBIG" : text;
}

/// Densities of both samples: elliptical, then RBIG for what that leaves.
Measure modelled_divergence(const arma::mat& p, const arma::mat& q, const MeasureOptions& options) {
  const EllipticalDensity of_p = fit_density(p, options.method), of_q = fit_density(q, options.method);
  Estimate estimate = elliptical_divergence(p, q, of_p, of_q, options.threads);
  std::optional<ResidualFlow> flow_p, flow_q;
  bool unmodelled = false;
  if (options.method != MeasureMethod::gaussian_copula) {
    flow_p = fit_residual_flow(whiten(of_p, p), options, &unmodelled);
    flow_q = fit_residual_flow(whiten(of_q, q), options, &unmodelled);
  }
  arma::vec more(p.n_rows, arma::fill::zeros);
  if (flow_p) more += flow_p->log_ratio;
  if (flow_q) more -= log_ratio(*flow_q, whiten(of_q, p), options.threads);
  if (flow_p || flow_q) {
    // The jackknife does not account for the flows: the rows' own spread stands in for them where it is larger.
    const Estimate rows = mean_estimate(log_density(of_p, p) - log_density(of_q, p) + more);
    estimate = {estimate.value + arma::mean(more), std::max(estimate.standard_error, rows.standard_error)};
  }
  Measure measure =
      measure_of(estimate, concat(describe(of_p, flow_p.has_value()), " against ", describe(of_q, flow_q.has_value())));
  if (const std::size_t rows = std::min(p.n_rows, q.n_rows); rows < p.n_cols + 3)
    measure.warnings.push_back(
        concat("suspect: ", rows, " rows have no volume in ", p.n_cols, " columns, and a density of them no bounds"));
  if (unmodelled || flow_p || flow_q)
    measure.warnings.push_back(concat(
        "suspect: no normal or Student-t distribution fits both samples, and RBIG is fitted to what they leave in "
        "these rows, for which the interval does not account"));
  measure.suspect = !measure.warnings.empty();
  return measure;
}

/// k nearest neighbours in either sample [Wang, Kulkarni & Verdú 2009].
Measure neighbour_divergence(const arma::mat& p, const arma::mat& q, const MeasureOptions& options) {
  const arma::vec own = neighbour_distances(p, options.neighbours, options.threads);
  const arma::vec other = neighbour_distances(q, p, options.neighbours, options.threads);
  if (own.min() <= 0 || other.min() <= 0)
    throw DataError("divergence: rows that coincide have no nearest neighbour distance; choose another method");
  const double offset = std::log(static_cast<double>(q.n_rows)) - std::log(static_cast<double>(p.n_rows - 1));
  Estimate estimate = mean_estimate(static_cast<double>(p.n_cols) * (arma::log(other) - arma::log(own)) + offset);
  // Rows share neighbours, in both samples: as measured, a quarter more in one column, half as much again in five.
  estimate.standard_error *= 1.25 + 0.05 * static_cast<double>(std::min<arma::uword>(p.n_cols, 10));
  return measure_of(estimate, concat(options.neighbours, " nearest neighbours"));
}

}  // namespace

Measure divergence(const arma::mat& p, const arma::mat& q, const MeasureOptions& options) {
  require(p.n_cols == q.n_cols, "divergence: samples of ", p.n_cols, " and ", q.n_cols,
          " columns; they must have the same columns");
  const Scores of_p = normal_scores(p, options, "divergence, first sample");
  const Scores of_q = normal_scores(q, options, "divergence, second sample");
  Steps steps(options, 2);
  // One scale for both: a divergence does not depend on units, but arithmetic does.
  arma::mat both = arma::join_cols(p, q);
  arma::vec log_det(both.n_rows, arma::fill::zeros);
  forward(fit_affine(both), both, log_det);
  const arma::mat x = both.head_rows(p.n_rows), y = both.tail_rows(q.n_rows);
  Measure measure = options.method == MeasureMethod::nearest_neighbour ? neighbour_divergence(x, y, options)
                                                                       : modelled_divergence(x, y, options);
  steps.done("densities");
  for (const auto* warnings : {&of_p.warnings, &of_q.warnings})
    measure.warnings.insert(measure.warnings.end(), warnings->begin(), warnings->end());
  measure.suspect = measure.suspect || of_p.collinear || of_q.collinear;
  set_p_value(measure, same_distribution_p_value(p, q, options), options);
  steps.done("permutations");
  return measure;
}

}  // namespace gaussianize
