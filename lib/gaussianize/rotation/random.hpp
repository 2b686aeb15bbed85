#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Uniform over the orthogonal group (Haar): QR of a normal matrix with the sign of R's diagonal moved into Q.
/// O(D³). The stream alone decides it. Orthogonal within max |QᵀQ − I| ≤ 30·D·ε.
arma::mat random_rotation(std::size_t dimension, RandomStream& stream);

}  // namespace gaussianize
#pragma GCC visibility pop
