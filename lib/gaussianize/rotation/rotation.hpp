#pragma once

#include <string_view>
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

/// X·Q, N×D. O(N·D²). Throws std::invalid_argument, stating both shapes, unless x has the rotation's dimension.
arma::mat rotate(const Rotation& rotation, const arma::mat& x);

/// X·Qᵀ, which undoes rotate; the same conditions.
arma::mat rotate_back(const Rotation& rotation, const arma::mat& x);

/// The number of columns that a rotation takes; 0 means any.
std::size_t dimension(const Rotation& rotation);

/// max |QᵀQ − I|: how far a square matrix is from orthogonal; ∞ if it is not finite.
double orthogonality_error(const arma::mat& q);

}  // namespace gaussianize
#pragma GCC visibility pop
