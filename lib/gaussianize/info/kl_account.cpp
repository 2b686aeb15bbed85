#include "gaussianize/info/kl_account.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/info/detail/copula_model.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/detail/scores.hpp"
#include "gaussianize/info/entropy.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr Estimate unknown{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
constexpr arma::uword min_rows = 20;
/// A higher bound must be higher by this many standard errors of the rows' differences.
constexpr double significance = 2.0;

Estimate widened(Estimate estimate, double standard_error) {
  estimate.standard_error = std::hypot(estimate.standard_error, standard_error);
  return estimate;
}

/// Whether every column has an entropy.
bool varies(const arma::mat& x) {
  bool good = x.n_rows >= 3 && x.is_finite();
  for (arma::uword d = 0; d < x.n_cols && good; ++d) good = arma::any(x.col(d) != x(0, d));
  return good;
}

/// Whether I and J_m can be estimated.
bool measurable(const arma::mat& x) {
  return x.n_rows >= min_rows && varies(x);
}

/// A lower bound on the rows' log density, up to noise.
struct Bound {
  JSource source = JSource::none;
  std::size_t model = 0;
  arma::vec log_density;
  double standard_error = 0.0;  ///< what the rows' terms do not show; NaN where nothing could be measured
  bool suspect = false;
  std::vector<std::string> warnings;
  std::string method = {};
  std::vector<MeasureCandidate> candidates = {};
};

/// Adds J = I + J_m of z as the measures find it. J cannot be negative: where they find less than nothing, nothing is
/// added but their error.
void add_found(Bound& bound, const arma::mat& z, const KlAccountOptions& options) {
  bound.standard_error = unknown.standard_error;
  if (!measurable(z)) return;
  const arma::uword stride = (z.n_rows + options.max_rows - 1) / options.max_rows;
  const MeasureOptions measuring{.permutations = 0, .seed = options.seed, .threads = options.threads};
  const arma::mat thinned = z.rows(arma::regspace<arma::uvec>(0, stride, z.n_rows - 1));
  const Scores scores = normal_scores(measurable(thinned) ? thinned : z, measuring, "J of the rows");
  const CopulaFit copula = fit_copula(scores, measuring);
  const Measure dependence = measure_of(copula.log_copula, copula, copula.description);

  arma::vec found = marginal_negentropy_values(z, {.threads = options.threads});
  double error = scores.columns() == 1 ? 0.0 : dependence.standard_error;
  // Without the allowance for what fitting misses: a bound.
  if (copula.log_copula.n_elem == found.n_elem) {
    found += copula.log_copula - copula.model_error;
    const double shown = mean_estimate(copula.log_copula).standard_error;
    error = std::isnan(error) ? error : std::sqrt(std::max(0.0, error * error - shown * shown));
  } else {
    found += dependence.value - copula.model_error;
  }
  const Estimate mean = mean_estimate(found);
  if (mean.value > 0) {
    bound.log_density += found;
    bound.standard_error = error;
  } else {
    bound.standard_error = std::hypot(mean.standard_error, error);
  }
  bound.suspect = dependence.suspect || scores.collinear;
  bound.method = dependence.method;
  bound.candidates = dependence.candidates;
  bound.warnings = dependence.warnings;
  // Repeated values of z tell nothing that those of the data do not.
  if (bound.source == JSource::measures)
    bound.warnings.insert(bound.warnings.end(), scores.warnings.begin(), scores.warnings.end());
}

bool clearly_higher(const Bound& a, const Bound& b) {
  const Estimate gain =
      widened(mean_estimate(a.log_density - b.log_density), std::hypot(a.standard_error, b.standard_error));
  return gain.value > significance * gain.standard_error;
}

/// From the standardised rows, and from the model with the largest mean log density.
Bound highest_bound(const arma::vec& log_normal, const arma::mat& y, const std::vector<ModelRows>& models,
                    const KlAccountOptions& options) {
  std::vector<Bound> bounds;
  for (std::size_t m = 0; m < models.size(); ++m)
    if (models[m].log_density.is_finite()) bounds.push_back({JSource::model, m, models[m].log_density, 0.0, false, {}});
  std::stable_sort(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) {
    return arma::mean(a.log_density) > arma::mean(b.log_density);
  });
  if (bounds.size() > 1) bounds.erase(bounds.begin() + 1, bounds.end());
  for (Bound& bound : bounds) add_found(bound, models[bound.model].z, options);
  bounds.push_back({JSource::measures, 0, log_normal, 0.0, false, {}});
  add_found(bounds.back(), y, options);
  std::size_t best = 0;
  for (std::size_t k = 1; k < bounds.size(); ++k)
    if (clearly_higher(bounds[k], bounds[best])) best = k;
  return std::move(bounds[best]);
}

/// J and its parts, J_m of the rows given term by term. One column depends on nothing.
KlRemainder parts(const arma::vec& j, const arma::vec& j_m, std::size_t columns, double standard_error) {
  const Estimate whole = widened(mean_estimate(j), standard_error);
  if (columns == 1) return {whole, {0.0, 0.0}, whole};
  return {whole, widened(mean_estimate(j - j_m), standard_error), mean_estimate(j_m)};
}

void check(const arma::mat& x, const std::vector<ModelRows>& models, const KlAccountOptions& options) {
  require(x.n_cols > 0, "kl_account: rows without columns");
  require(x.is_finite(), "kl_account: the rows hold a value that is not finite");
  require(options.max_rows >= min_rows, "kl_account: max_rows is ", options.max_rows, "; at least ", min_rows);
  for (const ModelRows& model : models) {
    require(model.log_density.n_elem == x.n_rows, "kl_account: ", model.log_density.n_elem, " log densities for ",
            x.n_rows, " rows");
    require(model.z.n_rows == x.n_rows && model.z.n_cols == x.n_cols, "kl_account: ", model.z.n_rows, " × ",
            model.z.n_cols, " Gaussianized rows for ", x.n_rows, " × ", x.n_cols, " rows");
  }
  const arma::uword known = options.true_log_density.n_elem;
  require(known == 0 || known == x.n_rows, "kl_account: ", known, " true log densities for ", x.n_rows, " rows");
}

}  // namespace

KlAccount kl_account(const arma::mat& x, const std::vector<ModelRows>& models, const KlAccountOptions& options) {
  check(x, models, options);
  const BlasGuard blas;
  KlAccount account;
  account.j = account.i = account.j_m = unknown;
  account.left.assign(models.size(), {unknown, unknown, unknown});
  if (!varies(x)) return account;

  arma::mat y = x;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  account.reference.standardisation = fit_affine(x);
  forward(*account.reference.standardisation, y, log_det);
  const arma::vec log_normal = log_normal_rows(y) + log_det;
  Bound reference{JSource::truth, 0, options.true_log_density, 0.0, false, {}};
  if (!reference.log_density.is_finite() || reference.log_density.is_empty())
    reference = highest_bound(log_normal, y, models, options);

  const std::size_t d = x.n_cols;
  const double error = reference.standard_error;
  const auto j_m = [&](const arma::mat& z) { return marginal_negentropy_values(z, {.threads = options.threads}); };
  const KlRemainder whole = parts(reference.log_density - log_normal, j_m(y), d, error);
  account.j = whole.j, account.i = whole.i, account.j_m = whole.j_m;
  for (std::size_t m = 0; m < models.size(); ++m) {
    const arma::vec lacks = reference.log_density - models[m].log_density;
    if (measurable(models[m].z))
      account.left[m] = parts(lacks, j_m(models[m].z), d, error);
    else
      account.left[m].j = widened(mean_estimate(lacks), error);
  }
  account.source = reference.source;
  account.model = reference.model;
  // One column has no dependence that could be missed, if it was measured.
  account.bound = reference.source != JSource::truth && (d > 1 || std::isnan(error));
  account.suspect = reference.suspect;
  account.warnings = std::move(reference.warnings);
  account.method = std::move(reference.method);
  account.candidates = std::move(reference.candidates);
  account.reference.log_density = std::move(reference.log_density);
  account.reference.standard_error = error;
  return account;
}

Estimate learned_from_chance(const Estimate& training_log_density, const Estimate& test_log_density) {
  return {training_log_density.value - test_log_density.value,
          std::hypot(training_log_density.standard_error, test_log_density.standard_error)};
}

}  // namespace gaussianize
