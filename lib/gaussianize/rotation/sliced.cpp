#include "gaussianize/rotation/sliced.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/rotation/detail/covariance.hpp"
#include "gaussianize/rotation/detail/orthogonal.hpp"
#include "gaussianize/rotation/detail/wasserstein.hpp"
#include "gaussianize/rotation/ica.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::size_t block_rows = 1024;

// The ascent starts where so many iterations of FastICA lead. From a random start the pull of a lone direction, some
// power of its cosine, can be lost in sampling noise: at D = 20 and N = 5,000 about one uniform or bimodal in ten was.
constexpr int start_iterations = 20;

// A step turns no plane by more than this many radians.
constexpr double largest_angle = 0.5;

// The curvature of a plane of two normal directions is only noise; steps are not divided by less than this.
constexpr double min_curvature = 0.02;

// A step must rise by this share of what the slope promises, or it is halved.
constexpr double armijo = 1e-4;
constexpr int max_halvings = 12;

/// The objective Σ_k W₂²(x·q_k, N(0, 1)) at one Q, with what its derivatives are made of.
struct Slices {
  arma::mat projection, residual;  ///< N×D: p = X·Q, and p − T(p)
  std::vector<detail::NormalFit> fits;
  double objective = 0.0;
};

Slices slice(const arma::mat& x, const arma::mat& q, const std::vector<double>& scores, int threads) {
  Slices s{arma::mat(x.n_rows, x.n_cols), arma::mat(x.n_rows, x.n_cols), std::vector<detail::NormalFit>(x.n_cols), 0.0};
  parallel_for(block_count(x.n_rows, block_rows), threads, [&](std::size_t b) {
    const RowRange rows = block_range(b, x.n_rows, block_rows);
    s.projection.rows(rows.begin, rows.end - 1) = x.rows(rows.begin, rows.end - 1) * q;
  });
  parallel_for(x.n_cols, threads, [&](std::size_t k) {
    s.fits[k] = detail::fit_normal(s.projection.colptr(k), scores, s.residual.colptr(k));
  });
  for (const detail::NormalFit& fit : s.fits) s.objective += fit.distance;
  return s;
}

/// The slopes of the objective along every plane: with Q ← Q·exp(A), A skew, M = (2/N)·Pᵀ(P − T) gives M_jk − M_kj for
/// A_jk, j < k. The choice of T is an optimum (of the transport), so its own change does not enter.
arma::mat plane_slopes(const Slices& s, int threads) {
  const arma::mat m = reduce_rows<arma::mat>(
      s.projection.n_rows, threads,
      [&](RowRange rows) -> arma::mat {
        return s.projection.rows(rows.begin, rows.end - 1).t() * s.residual.rows(rows.begin, rows.end - 1);
      },
      [](arma::mat& a, const arma::mat& b) { a += b; }, block_rows);
  return 2.0 / static_cast<double>(s.projection.n_rows) * (m - m.t());
}

/// Newton's step, plane by plane. Turning p towards an independent p′ of unit variance lowers W₂²(p) at the rate
/// 2(E T′ − E pT) ≥ 0, twice in a plane; off-diagonal second derivatives vanish where the directions are independent.
arma::mat ascent_step(const Slices& s, const arma::mat& slopes) {
  arma::mat step(slopes.n_rows, slopes.n_cols, arma::fill::zeros);
  const auto half_curvature = [&](arma::uword k) { return 2.0 * (s.fits[k].slope - s.fits[k].correlation); };
  for (arma::uword k = 0; k < slopes.n_cols; ++k)
    for (arma::uword j = 0; j < k; ++j) {
      const double curvature = std::max(half_curvature(j) + half_curvature(k), min_curvature);
      step(j, k) = std::clamp(slopes(j, k) / curvature, -largest_angle, largest_angle);
      step(k, j) = -step(j, k);
    }
  return step;
}

arma::mat spaced_rows(const arma::mat& x, std::size_t count) {
  arma::mat rows(count, x.n_cols);
  for (arma::uword j = 0; j < x.n_cols; ++j)
    for (std::size_t i = 0; i < count; ++i) rows(i, j) = x(detail::spaced_row(i, count, x.n_rows), j);
  return rows;
}

/// The rows of a gradient ascent and its current rotation.
struct Ascent {
  arma::mat rows;
  std::vector<double> scores;
  int threads = 0;
  arma::mat q;
  Slices current;
};

/// Takes one step and returns its gain; 0 if no shorter step gains either.
double advance(Ascent& ascent) {
  const arma::mat slopes = plane_slopes(ascent.current, ascent.threads);
  const arma::mat step = ascent_step(ascent.current, slopes);
  const double promise = 0.5 * arma::accu(slopes % step);
  double length = 1.0;
  for (int halving = 0; halving <= max_halvings; ++halving, length *= 0.5) {
    arma::mat q = detail::reorthogonalise(ascent.q * detail::cayley(length * step));
    Slices there = slice(ascent.rows, q, ascent.scores, ascent.threads);
    const double gain = there.objective - ascent.current.objective;
    if (!(gain >= armijo * length * promise)) continue;
    ascent.q = std::move(q);
    ascent.current = std::move(there);
    return gain;
  }
  return 0.0;
}

Ascent start_ascent(const arma::mat& x, RandomStream& stream, const SlicedOptions& options) {
  const std::size_t count = options.max_rows > 0 ? std::min<std::size_t>(options.max_rows, x.n_rows) : x.n_rows;
  Ascent ascent{spaced_rows(x, count), detail::normal_scores(count), options.threads, {}, {}};
  ascent.q = ica(ascent.rows, stream, {.max_iterations = start_iterations, .threads = options.threads}).q;
  ascent.current = slice(ascent.rows, ascent.q, ascent.scores, ascent.threads);
  if (!std::isfinite(ascent.current.objective))
    throw NumericalError("sliced_rotation: the squares of the projections overflow; standardise the columns first");
  return ascent;
}

}  // namespace

SlicedResult sliced_rotation(const arma::mat& x, RandomStream& stream, const SlicedOptions& options) {
  detail::require_rows("sliced_rotation", x);
  require(options.max_iterations >= 0, "sliced_rotation: max_iterations is ", options.max_iterations,
          "; it must not be negative");
  require(options.tolerance >= 0.0, "sliced_rotation: the tolerance is ", options.tolerance,
          "; it must not be negative");
  const BlasGuard blas;
  Ascent ascent = start_ascent(x, stream, options);
  SlicedResult result;
  while (!result.converged && result.iterations < options.max_iterations) {
    result.converged = advance(ascent) <= options.tolerance * ascent.current.objective;
    ++result.iterations;
  }
  std::vector<arma::uword> order(x.n_cols);
  std::iota(order.begin(), order.end(), arma::uword{0});
  std::stable_sort(order.begin(), order.end(), [&](arma::uword a, arma::uword b) {
    return ascent.current.fits[a].distance > ascent.current.fits[b].distance;
  });
  result.distance.set_size(x.n_cols);
  for (arma::uword k = 0; k < x.n_cols; ++k) result.distance(k) = ascent.current.fits[order[k]].distance;
  result.q = ascent.q.cols(arma::uvec(order));
  detail::fix_signs(result.q);
  return result;
}

}  // namespace gaussianize
