#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "gaussianize/math/detail/spline_loops.hpp"
#include "gaussianize/math/link.hpp"

namespace gaussianize::detail {

/// One dimension of a logistic mixture, as plain arrays of K kernels: t = (x − mu)·inverse_scale. The loops compute
/// (x − mu)·(inverse_scale·log₂ e), t in units of log 2, which is "the rounded t" below.
struct MixtureView {
  const double* mu = nullptr;
  const double* inverse_scale = nullptr;
  const double* weight = nullptr;  ///< positive, sums to one
  std::size_t kernels = 0;
  Link link = Link::probit;
};

/// The inputs of the backward pass of one dimension: the rows, both results of the forward pass, and their cotangents.
struct MixtureRows {
  const double* x = nullptr;
  const double* z = nullptr;
  const double* log_dzdx = nullptr;
  const double* z_bar = nullptr;
  const double* log_dzdx_bar = nullptr;  ///< ℓ̄
};

/// One sum over rows per kernel. With A and B of (M4), or (M15) for the logit, g = A σ′(t) + B σ″(t)·inverse_scale:
struct MixtureSums {
  double* mu = nullptr;     ///< Σ g
  double* scale = nullptr;  ///< Σ (t g + B σ′·inverse_scale)
  double* weight = nullptr;  ///< Σ (A s + B σ′·inverse_scale), s = σ(t) where z < 0, else −σ(−t); null: not computed
};

/// The vector loops of the library, one table of functions per instruction set. All work on contiguous arrays of n
/// doubles that do not overlap (except in place where stated) and give the same bits for an element whatever its
/// position, n, or alignment. log and the quantiles have the same bits in every table; exp and the mixture, which
/// use fused operations where there are any, differ between tables in the last places. tests/math asserts
/// the bounds for every table.
struct SimdLoops {
  std::string_view name;  ///< "baseline", "avx2", "avx512"
  SplineLoops spline;     ///< those of spline maps and kernel sums

  /// y[i] = exp(x[i]), within 1.75 units of the last place. Underflows gradually, to 0 below −745.2; is infinite above
  /// 709.79 and NaN at NaN. y may be x.
  void (*exp)(const double* x, double* y, std::size_t n);

  /// y[i] = log(x[i]) for normal positive x, within one unit of the last place; meaningless elsewhere. y may be x.
  void (*log)(const double* x, double* y, std::size_t n);

  /// z[i] = Φ⁻¹(p[i]) for p in [1e-300, 1/2], with relative error below 1e-15. z may be p.
  void (*lower_quantile)(const double* p, double* z, std::size_t n);

  /// z[i] = Φ⁻¹(u[i]) for uniforms u in (0, 1) as RandomStream makes them, with relative error below 1e-15. z may be u.
  void (*quantile)(const double* u, double* z, std::size_t n);

  /// The mixture's sums, F = Σ w σ(t), S = Σ w σ(−t), f = Σ w σ′(t)·inverse_scale, each without cancellation: given
  /// the rounded t, relative error below 2.5e-15 for up to 50 kernels and any t, where the sum is a normal double. NaN
  /// where x is. O(n·K).
  void (*mixture_sums)(const MixtureView& mixture, const double* x, double* lower, double* upper, double* density,
                       std::size_t n);

  /// z by the mixture's link, from the smaller tail, and log dz/dx, where the smaller tail is at least 1e-300 and f is
  /// normal; elsewhere, and where x is NaN, z[i] and log_dzdx[i] are NaN and the caller takes the path through
  /// logarithms. Given the rounded t, z is within 2e-15·max(1, |z|), and log dz/dx within 2e-15·(1 + z²) for the probit
  /// and 4e-15·max(1, |log dz/dx|) for the logit. O(n·K).
  void (*mixture_forward)(const MixtureView& mixture, const double* x, double* z, double* log_dzdx, std::size_t n);

  /// Pulls cotangents back through mixture_forward: x_bar = Σ_j w_j·inverse_scale_j·g_j for each row, and one sum over
  /// the rows per kernel, added to `sums` in an order that n alone decides. Given t and the forward results, the terms
  /// are right to 1e-14·(1 + z²) of their size. A row whose A or B exceeds 1e150 (|z| > 26 or so, 190 for the logit),
  /// or that is not finite, gets x_bar = NaN and adds nothing: the caller takes the path through logarithms. O(n·K).
  void (*mixture_backward)(const MixtureView& mixture, const MixtureRows& rows, double* x_bar, const MixtureSums& sums,
                           std::size_t n);
};

/// The loops for the best instruction set this processor has.
const SimdLoops& simd();

/// Every set of loops that this processor can run, the baseline first: for tests and benchmarks.
std::span<const SimdLoops> available_simd();

}  // namespace gaussianize::detail
