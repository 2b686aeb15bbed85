#include "gaussianize/rotation/ica.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/rotation/detail/contrast.hpp"
#include "gaussianize/rotation/detail/covariance.hpp"
#include "gaussianize/rotation/detail/orthogonal.hpp"
#include "gaussianize/rotation/random.hpp"
#include "gaussianize/rotation/rotation.hpp"

namespace gaussianize {
using namespace detail;
namespace {

// Eigenvalues of the correlation below this share of the largest are rounding, and are not blown up to unit variance.
constexpr double eigenvalue_floor = 1e-12;

// The first iterations use one row in this many and cost as much less; the last ones use all rows.
constexpr std::size_t first_pass_step = 8;
constexpr double first_pass_tolerance = 1e-3;

/// White rows in contiguous blocks, each its own matrix, so that products need no copies.
struct WhiteData {
  std::vector<arma::mat> blocks;
  std::size_t rows = 0;
  std::size_t block_rows = 0;
};

/// The symmetric whitening C^{−1/2} of C = S·K·S. With the polar decomposition S·K^{1/2} = C^{1/2}·U it is
/// S⁻¹·K^{−1/2}·Uᵀ, whose whiteness does not suffer however different the scales in S are.
arma::mat zca_whitening(const detail::Covariance& cov) {
  const double largest = cov.sd.max() > 0.0 ? cov.sd.max() : 1.0;
  arma::vec sd = cov.sd.t();
  arma::mat correlation = cov.correlation;
  // A constant column has no scale of its own; it is left alone.
  for (const arma::uword j : arma::uvec(arma::find(sd <= 0.0))) {
    sd(j) = largest;
    correlation(j, j) = 1.0;
  }
  arma::vec values;
  arma::mat vectors;
  if (!arma::eig_sym(values, vectors, correlation))
    throw NumericalError("ica: the eigendecomposition of the correlation failed");
  const arma::vec root = arma::sqrt(arma::clamp(values, eigenvalue_floor * values.max(), arma::datum::inf));
  const arma::mat half = vectors * arma::diagmat(root) * vectors.t();
  const arma::mat inverse_half = vectors * arma::diagmat(1.0 / root) * vectors.t();
  const arma::mat polar = detail::nearest_orthogonal(arma::diagmat(sd / largest) * half);
  return arma::diagmat(1.0 / sd) * inverse_half * polar.t();
}

WhiteData whiten(const arma::mat& x, const arma::rowvec& mean, const arma::mat& whitening, std::size_t rows,
                 int threads) {
  WhiteData data;
  data.rows = rows;
  // About a quarter of a megabyte: a block and its projections stay in the second-level cache.
  data.block_rows = std::clamp<std::size_t>(32768 / x.n_cols, 256, 1024);
  data.blocks.resize(block_count(rows, data.block_rows));
  parallel_for(data.blocks.size(), threads, [&](std::size_t b) {
    const RowRange range = block_range(b, rows, data.block_rows);
    arma::mat centred(range.size(), x.n_cols);
    for (arma::uword j = 0; j < x.n_cols; ++j) {
      const double* in = x.colptr(j);
      double* out = centred.colptr(j);
      const double centre = mean(j);
      if (rows == x.n_rows) {
        for (std::size_t i = 0; i < range.size(); ++i) out[i] = in[range.begin + i] - centre;
      } else {
        for (std::size_t i = 0; i < range.size(); ++i)
          out[i] = in[detail::spaced_row(range.begin + i, rows, x.n_rows)] - centre;
      }
    }
    data.blocks[b] = centred * whitening;
  });
  return data;
}

/// Σ z g′(zᵀq) for every direction, as columns, and Σ g″(zᵀq).
struct ContrastSums {
  arma::mat first;
  arma::rowvec second;
};

ContrastSums contrast_sums(const WhiteData& data, const arma::mat& q, Contrast contrast, int threads) {
  return reduce_rows<ContrastSums>(
      data.rows, threads,
      [&](RowRange range) {
        const arma::mat& z = data.blocks[range.begin / data.block_rows];
        arma::mat u = z * q;
        ContrastSums sums;
        sums.second.set_size(q.n_cols);
        for (arma::uword j = 0; j < q.n_cols; ++j)
          sums.second(j) = detail::differentiate_contrast(contrast, u.colptr(j), u.n_rows);
        sums.first = z.t() * u;
        return sums;
      },
      [](ContrastSums& a, const ContrastSums& b) {
        a.first += b.first;
        a.second += b.second;
      },
      data.block_rows);
}

/// A(AᵀA)^{−1/2}: all columns are made orthonormal at once, none before the others.
arma::mat decorrelate(const arma::mat& a) {
  const BlasGuard blas;
  arma::vec values;
  arma::mat vectors;
  const arma::mat gram = a.t() * a;
  if (gram.is_finite() && arma::eig_sym(values, vectors, gram) && values.min() > 0.0) {
    arma::mat q = a * (vectors * arma::diagmat(1.0 / arma::sqrt(values)) * vectors.t());
    if (orthogonality_error(q) < 1e-6) return q;
  }
  // Squaring lost too much of an ill-conditioned A.
  return detail::nearest_orthogonal(a);
}

/// max |1 − |⟨a_k, b_k⟩|| over the columns: zero if they agree up to sign.
double column_change(const arma::mat& a, const arma::mat& b) {
  const arma::rowvec cosines = arma::sum(a % b, 0);
  return arma::abs(1.0 - arma::abs(cosines)).max();
}

struct FixedPoint {
  arma::mat q;
  bool converged = false;
  int iterations = 0;
};

FixedPoint iterate(const WhiteData& data, arma::mat start, const IcaOptions& options) {
  const double n = static_cast<double>(data.rows);
  FixedPoint state{std::move(start), false, 0};
  arma::mat before = state.q;
  bool damped = false;
  while (!state.converged && state.iterations < options.max_iterations) {
    const ContrastSums sums = contrast_sums(data, state.q, options.contrast, options.threads);
    arma::mat next = decorrelate((sums.first - state.q * arma::diagmat(sums.second)) / n);
    ++state.iterations;
    const double change = column_change(next, state.q);
    state.converged = change < options.tolerance;
    // Back where it was two steps ago: it leaps over the optimum to and fro, and half a step would not.
    if (state.iterations > 1 && change > 10.0 * column_change(next, before)) damped = true;
    if (damped && !state.converged) {
      const arma::rowvec cosines = arma::sum(next % state.q, 0);
      for (arma::uword j = 0; j < next.n_cols; ++j)
        if (cosines(j) < 0.0) next.col(j) *= -1.0;
      next = decorrelate(next + state.q);
    }
    before = std::exchange(state.q, std::move(next));
  }
  return state;
}

}  // namespace

IcaResult ica(const arma::mat& x, RandomStream& stream, const IcaOptions& options) {
  detail::require_rows("ica", x);
  require(options.max_iterations >= 0, "ica: max_iterations is ", options.max_iterations, "; it must not be negative");
  require(options.tolerance >= 0.0, "ica: the tolerance is ", options.tolerance, "; it must not be negative");
  const BlasGuard blas;
  const detail::Covariance cov = detail::covariance(x, options.threads);
  IcaResult result;
  result.whitening = zca_whitening(cov);
  result.q = random_rotation(x.n_cols, stream);

  const std::size_t rows = options.max_rows > 0 ? std::min<std::size_t>(options.max_rows, x.n_rows) : x.n_rows;
  const std::size_t first_rows = std::max<std::size_t>({rows / first_pass_step, 2048, 128 * x.n_cols});
  if (first_rows <= rows / 2) {
    IcaOptions first_pass = options;
    first_pass.max_iterations = options.max_iterations / 2;
    first_pass.tolerance = std::max(options.tolerance, first_pass_tolerance);
    FixedPoint first =
        iterate(whiten(x, cov.mean, result.whitening, first_rows, options.threads), result.q, first_pass);
    result.q = std::move(first.q);
    result.iterations = first.iterations;
  }
  IcaOptions rest = options;
  rest.max_iterations = options.max_iterations - result.iterations;
  FixedPoint last = iterate(whiten(x, cov.mean, result.whitening, rows, options.threads), std::move(result.q), rest);
  result.q = detail::reorthogonalise(std::move(last.q));
  detail::fix_signs(result.q);
  result.converged = last.converged;
  result.iterations += last.iterations;
  return result;
}

}  // namespace gaussianize
