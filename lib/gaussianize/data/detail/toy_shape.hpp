#pragma once

#include <array>
#include <cmath>
#include <numbers>

/// The curves and numbers of the toys, which their draws and their densities share.
namespace gaussianize::detail::toy {

inline constexpr double pi = std::numbers::pi;

struct Point {
  double x = 0;
  double y = 0;
};

inline Point eight_gaussians_centre(double k) {
  const double angle = pi / 4 * k;
  return {4 / std::numbers::sqrt2 * std::cos(angle), 4 / std::numbers::sqrt2 * std::sin(angle)};
}
inline constexpr double eight_gaussians_noise = 0.5 / std::numbers::sqrt2;

/// A pinwheel's arm: (radial, tangential) turned by −angle, and doubled.
inline constexpr double pinwheel_arms = 5;
inline constexpr double pinwheel_radial = 0.3;
inline constexpr double pinwheel_tangential = 0.1;
inline double pinwheel_bend(double radial) {
  return 0.25 * std::exp(radial);
}

/// One of the two spirals, by its angle in (0, 3π), whose square is uniform. The other one is its mirror image in the
/// origin. The blur is uniform on (0, ⅙), in either coordinate, and then normal.
inline constexpr double spiral_end = 3 * pi;
inline constexpr double spiral_box = 0.5 / 3;
inline constexpr double spiral_noise = 0.1;
inline Point spiral(double turn) {
  return {-turn * std::cos(turn) / 3, turn * std::sin(turn) / 3};
}

/// The upper moon, by its angle in (0, π), uniform; the lower one is its mirror image in (0, 0.3).
inline constexpr double moon_noise = 0.2;
inline constexpr double moon_mirror = 0.6;
inline Point moon(double angle) {
  return {2 * std::cos(angle) - 1, 2 * std::sin(angle) - 0.2};
}

inline constexpr std::array<double, 4> ring_radii{0.75, 1.5, 2.25, 3.0};
inline constexpr double ring_noise = 0.08;

/// The swiss roll by its angle in (1.5π, 4.5π), uniform.
inline constexpr double roll_begin = 1.5 * pi;
inline constexpr double roll_end = 4.5 * pi;
inline constexpr double roll_noise = 0.2;
inline Point roll(double angle) {
  return {angle * std::cos(angle) / 5, angle * std::sin(angle) / 5};
}

inline constexpr double cos_half_width = 4;
inline constexpr double cos_noise = 0.3;
inline double cos_curve(double x) {
  return 2 * std::cos(2 * x);
}

}  // namespace gaussianize::detail::toy
