#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

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

/// Symmetric FastICA [Hyvärinen 1999], from a start that the stream draws. It iterates on an eighth of the
/// rows first, or 2048 or 128·D if that is more, where that is at most half of them, then on all; both count as
/// iterations. Steps are halved once it oscillates, as it does where several sources are normal. Then too it mostly
/// converges, to directions that are the sample's alone, so `converged` is no sign of structure; if not, it stops at
/// max_iterations with a q that is orthogonal all the same. O(N·D²) an iteration, and N·D doubles of memory.
///
/// The whitening is that of all rows, whatever max_rows. Eigenvalues of the correlation below 1e-12 of the largest
/// count as that, so in directions where data have no spread the whitened data have (nearly) none either, and stay
/// finite.
///
/// q is orthogonal, max |QᵀQ − I| ≤ 30·D·ε, the same for any number of threads, and with each column's sign fixed: its
/// entry of largest modulus is positive. x is N×D, finite, with N ≥ 1 and D ≥ 1: std::invalid_argument states the shape
/// otherwise. A decomposition that fails is a NumericalError.
IcaResult ica(const arma::mat& x, RandomStream& stream, const IcaOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
