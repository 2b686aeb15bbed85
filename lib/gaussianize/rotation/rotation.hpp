#pragma once

#include <cstddef>
#include <variant>

#include <armadillo>

#include "gaussianize/rotation/householder.hpp"
#include "gaussianize/rotation/patch.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Leaves every column as it is.
struct Identity {};

/// A D×D orthogonal matrix; rows of X are mapped by X·Q.
struct Orthogonal {
  arma::mat q;
};

/// The orthogonal half of a layer: |det| = 1, so it does not enter the log-determinant.
using Rotation = std::variant<Identity, Orthogonal, Householder, PatchRotation>;

/// The number of columns that a rotation takes; 0 means any.
std::size_t dimension(const Rotation& rotation);

/// Throws std::invalid_argument, naming the member, unless the rotation is one: sizes agree, numbers are finite, q is
/// orthogonal within 1e-10·D, no vector is zero. O(D³) for an Orthogonal.
void check(const Rotation& rotation);

/// X·Q, N×D, and its inverse X·Qᵀ; block by block on several threads, with the same bits for any number of them.
/// O(N·D²). Throws std::invalid_argument, stating both shapes, unless x has the rotation's dimension.
arma::mat forward(const Rotation& rotation, arma::mat x, int threads = 0);
arma::mat inverse(const Rotation& rotation, arma::mat x, int threads = 0);

/// max |QᵀQ − I|: how far a square matrix is from orthogonal; ∞ if it is not finite.
double orthogonality_error(const arma::mat& q);

}  // namespace gaussianize
#pragma GCC visibility pop
