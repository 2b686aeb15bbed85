#include "gaussianize/data/toys.hpp"

#include <cmath>
#include <numbers>

#include "gaussianize/math/normal.hpp"

namespace gaussianize {
namespace {

constexpr double pi = std::numbers::pi;

struct Point {
  double x, y;
};

double normal(RandomStream& stream) {
  return normal_quantile(stream.uniform());
}

Point checkerboard(RandomStream& stream) {
  const double x = 4 * stream.uniform() - 2;
  const double half = stream.below(2) == 0 ? 0.0 : -2.0;
  const double y = stream.uniform() + half + std::fmod(std::floor(x) + 4, 2.0);
  return {2 * x, 2 * y};
}

Point eight_gaussians(RandomStream& stream) {
  const double angle = pi / 4 * static_cast<double>(stream.below(8));
  const double a = normal(stream);
  const double b = normal(stream);
  return {(4 * std::cos(angle) + 0.5 * a) / std::numbers::sqrt2, (4 * std::sin(angle) + 0.5 * b) / std::numbers::sqrt2};
}

Point pinwheel(RandomStream& stream) {
  const double arm = 2 * pi / 5 * static_cast<double>(stream.below(5));
  const double radial = 1 + 0.3 * normal(stream);
  const double tangential = 0.1 * normal(stream);
  const double angle = arm + 0.25 * std::exp(radial);
  return {2 * (radial * std::cos(angle) + tangential * std::sin(angle)),
          2 * (tangential * std::cos(angle) - radial * std::sin(angle))};
}

Point two_spirals(RandomStream& stream) {
  const double turn = 3 * pi * std::sqrt(stream.uniform());
  const double side = stream.below(2) == 0 ? 1 : -1;
  const double x = side * (-turn * std::cos(turn) + 0.5 * stream.uniform()) / 3;
  const double y = side * (turn * std::sin(turn) + 0.5 * stream.uniform()) / 3;
  const double a = normal(stream);
  return {x + 0.1 * a, y + 0.1 * normal(stream)};
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
  }
  return "unknown";
}

}  // namespace gaussianize
