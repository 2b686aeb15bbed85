#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Trainable rotation [Meng 2020, §3.2]: rows of X are mapped by X·Q, where
///
///   Q = H_1 H_2 ⋯ H_M,   H_i = I − 2 v_i v_iᵀ / v_iᵀv_i.                              (H1)
///
/// Column i of the D×M matrix v is v_i. Entries are unconstrained but for v_i ≠ 0; lengths do not matter, from 1e-300
/// to 1e300. M = 0 is the identity and M may exceed D. det Q = (−1)^M. Derivations: docs/gradients.md.
struct Householder {
  arma::mat v;
};

/// The number of columns that the rotation takes.
std::size_t dimension(const Householder& rotation);

/// Throws std::invalid_argument unless D ≥ 1 and every vector is finite and not zero. O(DM).
void check(const Householder& rotation);

/// Q, with max |QᵀQ − I| ≤ 30·D·ε. O(D²M + DM²). Throws as check does.
arma::mat matrix(const Householder& rotation);

/// M isotropic normal vectors: the paper's start. Requires dimension > 0. The stream alone decides it.
Householder random_householder(std::size_t dimension, std::size_t reflections, RandomStream& stream);

/// The vectors, all of length √D, whose product is a given orthogonal D×D matrix, within 1e-14·D in every entry: D of
/// them if det q = (−1)^D, else D − 1, for a product of M reflections has determinant (−1)^M. O(D³). Throws
/// std::invalid_argument unless q is orthogonal to 1e-8.
Householder to_householder(const arma::mat& q);

}  // namespace gaussianize
#pragma GCC visibility pop
