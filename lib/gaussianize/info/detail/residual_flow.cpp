#include "gaussianize/info/detail/residual_flow.hpp"

#include <algorithm>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/rbig/detail/choose_rotation.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {
namespace {

/// Too few rows for densities in many directions.
constexpr std::size_t min_rows = 200, min_rows_per_column = 10;
constexpr double significance = 3.0;
/// The look at the least normal directions needs no more rows than this.
constexpr std::size_t search_rows = 20000;

/// J_m of directions that other rows chose.
Estimate held_out_negentropy(const arma::mat& z, const arma::mat& directions, int threads) {
  const arma::mat e = z * directions;
  return mean_estimate(-marginal_entropy_values(e, {.threads = threads}) - log_normal_rows(e));
}

}  // namespace

RbigOptions residual_rbig(const MeasureOptions& options) {
  RbigOptions rbig;
  rbig.rotation = RotationKind::sliced;
  rbig.search = false;
  rbig.step_fraction = 0.5;
  rbig.max_layers = 150;
  rbig.patience = 10;
  rbig.validation_fraction = 0.2;
  rbig.report_rows = 0;
  rbig.seed = options.seed;
  rbig.threads = options.threads;
  return rbig;
}

bool looks_normal(const arma::mat& z, const MeasureOptions& options) {
  const BlasGuard blas;
  const arma::mat seen = z.rows(half_of_rows(std::min<std::size_t>(z.n_rows, search_rows), 0));
  const arma::mat unseen = z.rows(half_of_rows(std::min<std::size_t>(z.n_rows, search_rows), 1));
  for (const RotationKind kind : {RotationKind::ica, RotationKind::sliced}) {
    const arma::mat q = choose_rotation(seen, kind, 1, options.seed, options.threads).q;
    const Estimate left = held_out_negentropy(unseen, q, options.threads);
    if (left.value > significance * left.standard_error) return false;
  }
  return true;
}

std::optional<ResidualFlow> fit_residual_flow(const arma::mat& z, const MeasureOptions& options, bool* unmodelled) {
  if (z.n_cols < 2 || z.n_rows < min_rows || z.n_rows < min_rows_per_column * z.n_cols) return std::nullopt;
  if (looks_normal(z, options)) return std::nullopt;
  ResidualFlow result;
  arma::vec own(z.n_rows), other(z.n_rows);
  for (std::size_t half = 0; half < 2; ++half) {
    const arma::uvec seen = half_of_rows(z.n_rows, half), unseen = half_of_rows(z.n_rows, 1 - half);
    result.flows[half] = fit_rbig(z.rows(seen), residual_rbig(options)).flow;
    const Execution execution{.threads = options.threads};
    const arma::vec log_p = log_density(result.flows[half], z, execution) - log_normal_rows(z);
    own.elem(seen) = log_p.elem(seen);
    other.elem(unseen) = log_p.elem(unseen);
    if (arma::mean(log_p.elem(unseen)) > 0) continue;
    if (unmodelled) *unmodelled = true;
    return std::nullopt;
  }
  result.log_ratio = 0.5 * (own + other);
  result.held_out = arma::mean(other);
  return result;
}

arma::vec log_ratio(const ResidualFlow& flow, const arma::mat& z, int threads) {
  const Execution execution{.threads = threads};
  return 0.5 * (log_density(flow.flows[0], z, execution) + log_density(flow.flows[1], z, execution)) -
         log_normal_rows(z);
}

}  // namespace gaussianize::detail
