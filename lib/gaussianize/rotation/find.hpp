#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Ways to find the orthogonal D×D matrix Q of the next layer X·Q. Every result satisfies
/// max |QᵀQ − I| ≤ 30·D·ε, is the same for any number of threads, and has each column's sign fixed (the entry of
/// largest modulus is positive), except the random one, where the sign is part of the law. Data are N×D, finite, with
/// N ≥ 1 and D ≥ 1: std::invalid_argument states the shape otherwise. A decomposition that fails is a NumericalError.

/// Uniform over the orthogonal group (Haar): QR of a normal matrix with the sign of R's diagonal moved into Q.
/// O(D³). The stream alone decides it.
arma::mat random_rotation(std::size_t dimension, RandomStream& stream);

/// The principal axes of x, in order of decreasing variance. Works for N < D, constant and repeated columns. O(N·D² +
/// D³). Columns may be of any scale: where their standard deviations differ by more than 10³, Jacobi's method (some ten
/// times the cost in D³) finds the axes to 1e-13 even at 1e150 beside 1e-150.
arma::mat pca_rotation(const arma::mat& x, int threads = 0);

/// The contrast g of FastICA: E g(wᵀx) measures how far from normal a projection is.
enum class Contrast {
  log_cosh,  ///< g = log cosh u: the all-purpose choice
  gauss,     ///< g = −exp(−u²/2): robust, for heavy tails
  cubic,     ///< g = u⁴/4: kurtosis, for light tails
  skew,      ///< g = u³/3: asymmetry
};

struct IcaOptions {
  Contrast contrast = Contrast::log_cosh;
  int max_iterations = 200;
  double tolerance = 1e-4;   ///< on max |1 − |⟨w_new, w_old⟩||
  std::size_t max_rows = 0;  ///< use at most this many rows, evenly spaced; 0 is all
  int threads = 0;
};

struct IcaResult {
  arma::mat whitening;  ///< D×D: (x − mean)·whitening has covariance I; symmetric (ZCA), so white data stay put
  arma::mat q;          ///< orthogonal: (x − mean)·whitening·q are the sources
  bool converged = false;
  int iterations = 0;
};

/// Symmetric FastICA [Hyvärinen 1999], from a start that the stream draws. It climbs on an eighth of the rows
/// first, or 2048 or 128·D if that is more, where that is at most half of them, then on all; both count as iterations.
/// Steps are halved once it swings to and fro, as it does where several sources are normal. Then too it mostly
/// converges, to directions that are the sample's alone, so `converged` is no sign of structure; if not, it stops at
/// max_iterations with a q that is orthogonal all the same. O(N·D²) an iteration, and N·D doubles of memory.
///
/// The whitening is that of all rows, whatever max_rows. Eigenvalues of the correlation below 1e-12 of the largest
/// count as that, so in directions where data have no spread the whitened data have (nearly) none either, and stay
/// finite.
IcaResult ica(const arma::mat& x, RandomStream& stream, const IcaOptions& options = {});

struct SlicedOptions {
  int max_iterations = 50;
  double tolerance = 1e-4;  ///< relative gain of the objective at which the climb ends
  std::size_t max_rows = 20000;
  int threads = 0;
};

struct SlicedResult {
  arma::mat q;
  arma::rowvec distance;  ///< 1×D: mean squared distance of each sorted projection from the normal quantiles (W₂²)
  bool converged = false;
  int iterations = 0;
};

/// Orthonormal directions whose projections are farthest from N(0, 1) in squared Wasserstein distance [Dai & Seljak
/// 2021]: ascent on Σ_k W₂²(x·q_k, N(0, 1)) over the orthogonal group, by Newton's step in every plane and a line
/// search, from where a few iterations of FastICA lead that the stream draws a start for. Directions come in order of
/// decreasing distance. The distance grows faster than the square of the cosine with a hidden direction, so the sum
/// over all D is largest with each hidden direction in a column of its own, and needs no weights.
///
/// For standardised, nearly white data; NumericalError if squares overflow. max_rows evenly spaced rows are used, and
/// `distance` is theirs; 0 is all. O(N·D²) a step, sorting in O(N) a direction.
SlicedResult sliced_rotation(const arma::mat& x, RandomStream& stream, const SlicedOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
