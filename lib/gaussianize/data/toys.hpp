#pragma once

#include <cstddef>
#include <string_view>

#include <armadillo>

#include "gaussianize/core/random.hpp"

namespace gaussianize {

/// The two-dimensional laws that density estimators are usually shown on, in the parameters that are usual for them.
enum class Toy {
  checkerboard,     ///< uniform on every second 2×2 square of [−4, 4]²: an area of 32
  eight_gaussians,  ///< eight normals of standard deviation ½/√2 on a circle of radius 4/√2
  pinwheel,         ///< five bent arms
  two_spirals,      ///< two interleaved spirals, blurred
};

/// rows × 2. Row i depends on the seed and on i alone.
arma::mat draw(Toy toy, std::size_t rows, Seed seed);

std::string_view name(Toy toy);

}  // namespace gaussianize
