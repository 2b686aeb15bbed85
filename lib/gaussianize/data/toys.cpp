#include "gaussianize/data/toys.hpp"

#include <cmath>
#include <numbers>

#include "gaussianize/data/detail/toy_shape.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

using namespace toy;

double normal(RandomStream& stream) {
  return normal_quantile(stream.uniform());
}

Point blurred(Point p, double noise, RandomStream& stream) {
  const double a = normal(stream);
  return {p.x + noise * a, p.y + noise * normal(stream)};
}

Point checkerboard(RandomStream& stream) {
  const double x = 4 * stream.uniform() - 2;
  const double half = stream.below(2) == 0 ? 0.0 : -2.0;
  const double y = stream.uniform() + half + std::fmod(std::floor(x) + 4, 2.0);
  return {2 * x, 2 * y};
}

Point eight_gaussians(RandomStream& stream) {
  return blurred(eight_gaussians_centre(static_cast<double>(stream.below(8))), eight_gaussians_noise, stream);
}

Point pinwheel(RandomStream& stream) {
  const double arm = 2 * pi / pinwheel_arms * static_cast<double>(stream.below(5));
  const double radial = 1 + pinwheel_radial * normal(stream);
  const double tangential = pinwheel_tangential * normal(stream);
  const double angle = arm + pinwheel_bend(radial);
  return {2 * (radial * std::cos(angle) + tangential * std::sin(angle)),
          2 * (tangential * std::cos(angle) - radial * std::sin(angle))};
}

Point two_spirals(RandomStream& stream) {
  const Point centre = spiral(spiral_end * std::sqrt(stream.uniform()));
  const double side = stream.below(2) == 0 ? 1 : -1;
  const double x = side * (centre.x + spiral_box * stream.uniform());
  const double y = side * (centre.y + spiral_box * stream.uniform());
  return blurred({x, y}, spiral_noise, stream);
}

Point moons(RandomStream& stream) {
  const Point upper = moon(pi * stream.uniform());
  const bool mirrored = stream.below(2) == 1;
  return blurred(mirrored ? Point{-upper.x, moon_mirror - upper.y} : upper, moon_noise, stream);
}

Point rings(RandomStream& stream) {
  const double radius = ring_radii[stream.below(ring_radii.size())];
  const double angle = 2 * pi * stream.uniform();
  return blurred({radius * std::cos(angle), radius * std::sin(angle)}, ring_noise, stream);
}

Point swiss_roll(RandomStream& stream) {
  return blurred(roll(roll_begin + (roll_end - roll_begin) * stream.uniform()), roll_noise, stream);
}

Point cos_curve(RandomStream& stream) {
  const double x = cos_half_width * (2 * stream.uniform() - 1);
  return {x, toy::cos_curve(x) + cos_noise * normal(stream)};
}

Point draw_one(Toy toy, RandomStream& stream) {
  switch (toy) {
    case Toy::checkerboard:
      return checkerboard(stream);
    case Toy::eight_gaussians:
      return eight_gaussians(stream);
    case Toy::pinwheel:
      return pinwheel(stream);
    case Toy::two_spirals:
      return two_spirals(stream);
    case Toy::moons:
      return moons(stream);
    case Toy::rings:
      return rings(stream);
    case Toy::swiss_roll:
      return swiss_roll(stream);
    case Toy::cos_curve:
      return cos_curve(stream);
  }
  return {0, 0};
}

}  // namespace

arma::mat draw(Toy toy, std::size_t rows, Seed seed) {
  arma::mat x(rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    RandomStream stream(seed, Purpose::data, i);
    const Point p = draw_one(toy, stream);
    x(i, 0) = p.x;
    x(i, 1) = p.y;
  }
  return x;
}

std::string_view name(Toy toy) {
  switch (toy) {
    case Toy::checkerboard:
      return "checkerboard";
    case Toy::eight_gaussians:
      return "eight-gaussians";
    case Toy::pinwheel:
      return "pinwheel";
    case Toy::two_spirals:
      return "two-spirals";
    case Toy::moons:
      return "moons";
    case Toy::rings:
      return "rings";
    case Toy::swiss_roll:
      return "swiss-roll";
    case Toy::cos_curve:
      return "cos-curve";
  }
  return "unknown";
}

}  // namespace gaussianize
