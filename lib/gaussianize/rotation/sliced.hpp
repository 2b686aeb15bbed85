#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

struct SlicedOptions {
  int max_iterations = 50;
  double tolerance = 1e-4;  ///< relative gain of the objective at which the ascent ends
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
///
/// q is orthogonal, max |QᵀQ − I| ≤ 30·D·ε, the same for any number of threads, and with each column's sign fixed: its
/// entry of largest modulus is positive. x is N×D, finite, with N ≥ 1 and D ≥ 1: std::invalid_argument states the shape
/// otherwise. A decomposition that fails is a NumericalError.
SlicedResult sliced_rotation(const arma::mat& x, RandomStream& stream, const SlicedOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
