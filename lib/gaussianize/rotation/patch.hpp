#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Trainable rotation of L×L images [Meng 2020, §3.2.2 and the appendix on patches], pixel (r, c) being column r·L + c
/// of X. The image is shifted circularly, to the right or downwards, and cut into k×k patches of p×p pixels, L = p·k;
/// every patch is rotated by a Householder product of its own and put where it was cut out:
///
///   Q = S · P · diag(Q_0, …, Q_{k²−1}) · Pᵀ,                                           (P1)
///
/// with S the permutation that shifts and P the one that cuts. The shift is not undone: the output is an image too,
/// shifted against the input, so that shifts of successive layers add up and the grid of patches comes to lie anywhere.
/// Patches are numbered row by row, and so are the pixels in each. Slice t of the p²×M×k² cube holds the vectors of
/// Q_t, (H1) of householder.hpp.
struct PatchRotation {
  std::size_t side = 0;   ///< L
  std::size_t patch = 0;  ///< p, a divisor of L
  std::size_t shift = 0;  ///< below L
  bool vertical = false;  ///< whether the shift is downwards, not to the right
  arma::cube v;
};

/// L², the number of columns that the rotation takes.
std::size_t dimension(const PatchRotation& rotation);

/// Throws std::invalid_argument unless the sizes agree as described above and every vector is finite and not zero.
void check(const PatchRotation& rotation);

/// The D×D matrix, with max |QᵀQ − I| ≤ 30·D·ε; mostly zeros. O(D² + D·p²·M). Throws as check does.
arma::mat matrix(const PatchRotation& rotation);

/// Isotropic normal vectors, a shift uniform on 0 … L − 1 and a coin for its direction, in this order of the stream.
PatchRotation random_patch_rotation(std::size_t side, std::size_t patch, std::size_t reflections, RandomStream& stream);

}  // namespace gaussianize
#pragma GCC visibility pop
