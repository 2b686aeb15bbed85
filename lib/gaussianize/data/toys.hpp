#pragma once

#include <cstddef>
#include <string_view>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// The two-dimensional distributions that density estimators are usually shown on, with their usual parameters.
/// docs/data.md gives their formulas.
enum class Toy {
  checkerboard,     ///< uniform on every second 2×2 square of [−4, 4]²: an area of 32
  eight_gaussians,  ///< eight normals of standard deviation ½/√2 on a circle of radius 4/√2
  pinwheel,         ///< five bent arms
  two_spirals,      ///< two interleaved spirals, blurred
  moons,            ///< two interleaved half circles of radius 2, blurred by normal noise of 0.2
  rings,            ///< circles of radius 0.75, 1.5, 2.25 and 3, blurred by normal noise of 0.08
  swiss_roll,       ///< one spiral of one and a half turns, blurred by normal noise of 0.2
  cos_curve,        ///< x uniform on (−4, 4), y = 2 cos 2x and normal noise of 0.3
};

/// rows × 2. Row i depends on the seed and on i alone.
arma::mat draw(Toy toy, std::size_t rows, Seed seed);

/// The true log density, in nats, at each row of x (N×2); −∞ outside the support. Closed forms, but for the
/// spirals, the moons and the swiss roll, which are integrals over a curve by Gauss's rule, exact to 1e-9, and the
/// pinwheel, a sum over the roots of an equation; that one is −∞ beyond a radius of 12, where the mass is below 1e-58.
/// Throws std::invalid_argument unless x has two columns.
arma::vec log_density(Toy toy, const arma::mat& x, int threads = 0);

std::string_view name(Toy toy);

}  // namespace gaussianize
#pragma GCC visibility pop
