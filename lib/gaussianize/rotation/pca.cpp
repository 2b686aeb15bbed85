#include "gaussianize/rotation/pca.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/rotation/detail/covariance.hpp"
#include "gaussianize/rotation/detail/orthogonal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

// Below this ratio of standard deviations a symmetric eigensolver, whose error is relative to the largest variance,
// loses more than 1e-10 of the smallest one.
constexpr double graded_ratio = 1e-3;

constexpr int max_sweeps = 60;

void eigen(arma::vec& values, arma::mat& vectors, const arma::mat& a) {
  if (!arma::eig_sym(values, vectors, a))
    throw NumericalError("pca_rotation: the eigendecomposition of the covariance failed");
}

/// A factor B with BᵀB = diag(sd)·correlation·diag(sd), as unit columns and their norms, and the rotation that has been
/// applied to its columns so far.
struct GradedFactor {
  arma::mat unit;
  arma::vec norm;
  arma::mat q;
};

GradedFactor graded_factor(const detail::Covariance& cov) {
  arma::vec values;
  arma::mat vectors;
  eigen(values, vectors, cov.correlation);
  const arma::uword d = values.n_elem;
  // Below it, the eigenvalue of a repeated column is rounding; its root would pass for the axis of a small column.
  const double rounding = static_cast<double>(d) * std::numeric_limits<double>::epsilon() * values.max();
  values.transform([=](double value) { return value > rounding ? value : 0.0; });
  GradedFactor factor{arma::diagmat(arma::sqrt(values)) * vectors.t(), arma::vec(d), arma::eye(d, d)};
  const double largest = cov.sd.max();
  for (arma::uword j = 0; j < d; ++j) {
    const double length = arma::norm(factor.unit.col(j));
    factor.norm(j) = cov.sd(j) / largest * length;
    if (length > 0.0) factor.unit.col(j) /= length;
  }
  return factor;
}

/// Makes columns p and q of B orthogonal by a plane rotation; the longer one is p. With r = ‖b_q‖/‖b_p‖ and g the
/// cosine between them, everything is formed from r and g alone, so that no square of a norm can overflow or underflow.
void orthogonalise_pair(GradedFactor& b, arma::uword p, arma::uword q, double g) {
  const double r = b.norm(q) / b.norm(p);
  const double a = (1.0 - r * r) / (2.0 * std::abs(g));
  const double t_over_r = std::copysign(1.0 / (a + std::hypot(r, a)), -g);
  const double t = r * t_over_r, c = 1.0 / std::sqrt(1.0 + t * t);
  const arma::vec up = b.unit.col(p), uq = b.unit.col(q), qp = b.q.col(p), qq = b.q.col(q);
  b.unit.col(p) = c * (up - t * r * uq);
  b.unit.col(q) = c * (t_over_r * up + uq);
  b.q.col(p) = c * (qp - t * qq);
  b.q.col(q) = c * (t * qp + qq);
  for (const arma::uword j : {p, q}) {
    const double length = arma::norm(b.unit.col(j));
    b.norm(j) *= length;
    if (length > 0.0) b.unit.col(j) /= length;
  }
}

/// One pass over all pairs of columns. Returns whether none had to be turned.
bool sweep(GradedFactor& b) {
  const arma::uword d = b.norm.n_elem;
  const double tolerance = static_cast<double>(d) * std::numeric_limits<double>::epsilon();
  bool orthogonal = true;
  for (arma::uword i = 0; i < d; ++i)
    for (arma::uword j = i + 1; j < d; ++j) {
      const bool in_order = b.norm(i) >= b.norm(j);
      const arma::uword p = in_order ? i : j, q = in_order ? j : i;
      if (!(b.norm(q) > 0.0)) continue;
      const double g = arma::dot(b.unit.col(p), b.unit.col(q));
      if (std::abs(g) <= tolerance) continue;
      orthogonal = false;
      orthogonalise_pair(b, p, q, g);
    }
  return orthogonal;
}

std::vector<arma::uword> decreasing(const arma::vec& values) {
  std::vector<arma::uword> order(values.n_elem);
  std::iota(order.begin(), order.end(), arma::uword{0});
  std::stable_sort(order.begin(), order.end(), [&](arma::uword a, arma::uword b) { return values(a) > values(b); });
  return order;
}

/// Principal axes of columns in wildly different units: Hestenes' one-sided Jacobi finds small axes to full relative
/// accuracy. O(D³) a sweep, some ten sweeps. Not by LAPACK's dgesvj, which is up to 3.6 times as fast, but does not
/// converge where columns repeat others.
arma::mat graded_axes(detail::Covariance cov) {
  // Largest first: fewer sweeps, and where norms underflow the order of the scales is kept.
  const arma::uvec order(decreasing(cov.sd.t()));
  cov.correlation = cov.correlation.submat(order, order).eval();
  cov.sd = cov.sd.cols(order).eval();
  GradedFactor factor = graded_factor(cov);
  int sweeps = 0;
  while (!sweep(factor))
    if (++sweeps == max_sweeps) throw NumericalError("pca_rotation: the Jacobi sweeps did not converge");
  arma::mat q(order.n_elem, order.n_elem);
  q.rows(order) = factor.q.cols(arma::uvec(decreasing(factor.norm)));
  return q;
}

arma::mat balanced_axes(const detail::Covariance& cov) {
  const arma::rowvec scale = cov.sd / cov.sd.max();
  arma::vec values;
  arma::mat vectors;
  eigen(values, vectors, cov.correlation % (scale.t() * scale));
  return arma::fliplr(vectors);
}

}  // namespace

arma::mat pca_rotation(const arma::mat& x, int threads) {
  detail::require_rows("pca_rotation", x);
  const BlasGuard blas;
  const detail::Covariance cov = detail::covariance(x, threads);
  arma::mat q;
  if (!(cov.sd.max() > 0.0)) {
    q = arma::eye(x.n_cols, x.n_cols);
  } else {
    const double smallest = arma::min(arma::rowvec(cov.sd.elem(arma::find(cov.sd > 0.0)).t()));
    q = smallest < graded_ratio * cov.sd.max() ? graded_axes(cov) : balanced_axes(cov);
  }
  q = detail::reorthogonalise(std::move(q));
  detail::fix_signs(q);
  return q;
}

}  // namespace gaussianize
