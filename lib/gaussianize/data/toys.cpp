#include "gaussianize/data/toys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <boost/math/tools/roots.hpp>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/data/detail/curve_density.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

using std::numbers::pi;

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

double normal(RandomStream& stream) {
  return normal_quantile(stream.uniform());
}

PlanePoint blurred(PlanePoint p, double noise, RandomStream& stream) {
  const double a = normal(stream);
  return {p.x + noise * a, p.y + noise * normal(stream)};
}

double log_normal(double x, double mean, double sigma) {
  return log_normal_pdf((x - mean) / sigma) - std::log(sigma);
}

// Checkerboard.

PlanePoint draw_checkerboard(RandomStream& stream) {
  const double x = 4 * stream.uniform() - 2;
  const double half = stream.below(2) == 0 ? 0.0 : -2.0;
  const double y = stream.uniform() + half + std::fmod(std::floor(x) + 4, 2.0);
  return {2 * x, 2 * y};
}

double checkerboard(PlanePoint p) {
  if (std::abs(p.x) > 4 || std::abs(p.y) > 4) return minus_infinity;
  const bool even = std::fmod(std::floor(p.x / 2) + std::floor(p.y / 2) + 4, 2.0) == 0;
  return even ? -std::log(32.0) : minus_infinity;
}

// Eight Gaussians.

constexpr double eight_gaussians_noise = 0.5 / std::numbers::sqrt2;

PlanePoint eight_gaussians_centre(double k) {
  const double angle = pi / 4 * k;
  return {4 / std::numbers::sqrt2 * std::cos(angle), 4 / std::numbers::sqrt2 * std::sin(angle)};
}

PlanePoint draw_eight_gaussians(RandomStream& stream) {
  return blurred(eight_gaussians_centre(static_cast<double>(stream.below(8))), eight_gaussians_noise, stream);
}

double eight_gaussians(PlanePoint p) {
  double sum = minus_infinity;
  for (int k = 0; k < 8; ++k) {
    const PlanePoint centre = eight_gaussians_centre(k);
    sum = log_add(sum,
                  log_normal(p.x, centre.x, eight_gaussians_noise) + log_normal(p.y, centre.y, eight_gaussians_noise));
  }
  return sum - std::log(8.0);
}

// Pinwheel: an arm is (radial, tangential) turned by −angle, and doubled.

constexpr double pinwheel_arms = 5;
constexpr double pinwheel_radial = 0.3;
constexpr double pinwheel_tangential = 0.1;

double pinwheel_bend(double radial) {
  return 0.25 * std::exp(radial);
}

PlanePoint draw_pinwheel(RandomStream& stream) {
  const double arm = 2 * pi / pinwheel_arms * static_cast<double>(stream.below(5));
  const double radial = 1 + pinwheel_radial * normal(stream);
  const double tangential = pinwheel_tangential * normal(stream);
  const double angle = arm + pinwheel_bend(radial);
  return {2 * (radial * std::cos(angle) + tangential * std::sin(angle)),
          2 * (tangential * std::cos(angle) - radial * std::sin(angle))};
}

/// A point of radius 2ρ and polar angle ψ comes from (r, t) = ρ(cos α, sin α) where turned(α) = ψ, up to multiples of
/// an arm's angle: turned(α) = α − ¼ e^{ρ cos α}. Its derivative 1 + ¼ t e^r is also the map's Jacobian, but for the
/// scale.
struct Pinwheel {
  double rho;

  double turned(double alpha) const { return alpha - pinwheel_bend(rho * std::cos(alpha)); }
  double slope(double alpha) const { return 1 + rho * std::sin(alpha) * pinwheel_bend(rho * std::cos(alpha)); }

  /// The root of a function that has different signs at low and high.
  template <class Function>
  static double root(Function f, double low, double high) {
    return boost::math::tools::bisect(f, low, high, [](double a, double b) { return b - a <= 1e-15; }).first;
  }

  /// −π, π, and between them the places where `turned` turns round. The slope has one minimum, where cos α = ρ sin² α,
  /// α < 0.
  std::vector<double> breaks() const {
    if (rho == 0) return {-pi, pi};
    const double cosine = 2 * rho / (1 + std::sqrt(1 + 4 * rho * rho));
    const double steepest = -std::acos(cosine);
    if (slope(steepest) >= 0) return {-pi, pi};
    const auto f = [this](double alpha) { return slope(alpha); };
    return {-pi, root(f, -pi, steepest), root(f, steepest, 0.0), pi};
  }

  double log_term(double alpha) const {
    return log_normal(rho * std::cos(alpha), 1, pinwheel_radial) +
           log_normal(rho * std::sin(alpha), 0, pinwheel_tangential) - std::log(std::abs(slope(alpha)));
  }

  double log_density(double psi) const {
    constexpr double arm = 2 * pi / pinwheel_arms;
    const std::vector<double> ends = breaks();
    double sum = minus_infinity;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const auto [low, high] = std::minmax({turned(ends[i]), turned(ends[i + 1])});
      for (double target = psi + arm * std::ceil((low - psi) / arm); target < high; target += arm) {
        const auto excess = [&](double alpha) { return turned(alpha) - target; };
        sum = log_add(sum, log_term(root(excess, ends[i], ends[i + 1])));
      }
    }
    return sum - std::log(pinwheel_arms) - 2 * std::log(2.0);
  }
};

double pinwheel(PlanePoint p) {
  const double radius = std::hypot(p.x, p.y);
  if (radius > 12) return minus_infinity;
  return Pinwheel{radius / 2}.log_density(std::atan2(p.y, p.x));
}

// Two spirals: one by its angle in (0, 3π), whose square is uniform; the other is its mirror image in the origin. The
// noise of either coordinate is a uniform on (0, ⅙) and a normal.

constexpr double spiral_end = 3 * pi;
constexpr double spiral_box = 0.5 / 3;
constexpr double spiral_noise = 0.1;

PlanePoint spiral(double turn) {
  return {-turn * std::cos(turn) / 3, turn * std::sin(turn) / 3};
}

PlanePoint draw_two_spirals(RandomStream& stream) {
  const PlanePoint centre = spiral(spiral_end * std::sqrt(stream.uniform()));
  const double side = stream.below(2) == 0 ? 1 : -1;
  const double x = side * (centre.x + spiral_box * stream.uniform());
  const double y = side * (centre.y + spiral_box * stream.uniform());
  return blurred({x, y}, spiral_noise, stream);
}

double two_spirals(PlanePoint p) {
  static const CurveDensity one(spiral, [](double turn) { return 2 * turn / (spiral_end * spiral_end); }, 0, spiral_end,
                                {spiral_noise, spiral_box});
  return -std::numbers::ln2 + log_add(one.log_density(p), one.log_density({-p.x, -p.y}));
}

// Moons: the upper one by its angle in (0, π), uniform; the lower one is its mirror image in (0, 0.3).

constexpr double moon_noise = 0.2;
constexpr double moon_mirror = 0.6;

PlanePoint moon(double angle) {
  return {2 * std::cos(angle) - 1, 2 * std::sin(angle) - 0.2};
}

PlanePoint draw_moons(RandomStream& stream) {
  const PlanePoint upper = moon(pi * stream.uniform());
  const bool mirrored = stream.below(2) == 1;
  return blurred(mirrored ? PlanePoint{-upper.x, moon_mirror - upper.y} : upper, moon_noise, stream);
}

double moons(PlanePoint p) {
  static const CurveDensity upper(moon, [](double) { return 1 / pi; }, 0, pi, {moon_noise});
  return -std::numbers::ln2 + log_add(upper.log_density(p), upper.log_density({-p.x, moon_mirror - p.y}));
}

// Rings.

constexpr std::array<double, 4> ring_radii{0.75, 1.5, 2.25, 3.0};
constexpr double ring_noise = 0.08;

PlanePoint draw_rings(RandomStream& stream) {
  const double radius = ring_radii[stream.below(ring_radii.size())];
  const double angle = 2 * pi * stream.uniform();
  return blurred({radius * std::cos(angle), radius * std::sin(angle)}, ring_noise, stream);
}

/// log(e^{−x} I₀(x)), x ≥ 0: the power series, whose terms are all positive, or from 30 on the asymptotic one, whose
/// smallest term there is below 1e-25. Boost.Math's cyl_bessel_i is not scaled and overflows where x > 713.
double log_scaled_bessel(double x) {
  double term = 1;
  double sum = 1;
  const bool small = x < 30;
  for (double k = 1; term > 1e-17 * sum; ++k) {
    term *= small ? x * x / (4 * k * k) : (2 * k - 1) * (2 * k - 1) / (8 * x * k);
    sum += term;
  }
  return std::log(sum) - (small ? x : std::log(2 * pi * x) / 2);
}

/// A circle of radius R blurred by σ: e^{−(ρ² + R²)/2σ²} I₀(ρR/σ²)/(2πσ²).
double rings(PlanePoint p) {
  const double rho = std::hypot(p.x, p.y);
  constexpr double variance = ring_noise * ring_noise;
  double sum = minus_infinity;
  for (const double radius : ring_radii)
    sum = log_add(sum, -(rho - radius) * (rho - radius) / (2 * variance) + log_scaled_bessel(rho * radius / variance));
  return sum - std::log(static_cast<double>(ring_radii.size()) * 2 * pi * variance);
}

// Swiss roll, by its angle in (1.5π, 4.5π), uniform.

constexpr double roll_begin = 1.5 * pi;
constexpr double roll_end = 4.5 * pi;
constexpr double roll_noise = 0.2;

PlanePoint roll(double angle) {
  return {angle * std::cos(angle) / 5, angle * std::sin(angle) / 5};
}

PlanePoint draw_swiss_roll(RandomStream& stream) {
  return blurred(roll(roll_begin + (roll_end - roll_begin) * stream.uniform()), roll_noise, stream);
}

double swiss_roll(PlanePoint p) {
  static const CurveDensity curve(roll, [](double) { return 1 / (roll_end - roll_begin); }, roll_begin, roll_end,
                                  {roll_noise});
  return curve.log_density(p);
}

// Cosine curve.

constexpr double cos_half_width = 4;
constexpr double cos_noise = 0.3;

PlanePoint draw_cos_curve(RandomStream& stream) {
  const double x = cos_half_width * (2 * stream.uniform() - 1);
  return {x, 2 * std::cos(2 * x) + cos_noise * normal(stream)};
}

double cos_curve(PlanePoint p) {
  if (std::abs(p.x) > cos_half_width) return minus_infinity;
  return log_normal(p.y, 2 * std::cos(2 * p.x), cos_noise) - std::log(2 * cos_half_width);
}

struct ToyFunctions {
  std::string_view name;
  PlanePoint (*draw)(RandomStream&);
  double (*log_density)(PlanePoint);
};

/// In the order of the enumeration.
constexpr std::array<ToyFunctions, 8> all_toys{{
    {"checkerboard", draw_checkerboard, checkerboard},
    {"eight-gaussians", draw_eight_gaussians, eight_gaussians},
    {"pinwheel", draw_pinwheel, pinwheel},
    {"two-spirals", draw_two_spirals, two_spirals},
    {"moons", draw_moons, moons},
    {"rings", draw_rings, rings},
    {"swiss-roll", draw_swiss_roll, swiss_roll},
    {"cos-curve", draw_cos_curve, cos_curve},
}};

const ToyFunctions& functions(Toy toy) {
  return all_toys.at(static_cast<std::size_t>(toy));
}

}  // namespace

arma::mat draw(Toy toy, std::size_t rows, Seed seed) {
  arma::mat x(rows, 2);
  for (std::size_t i = 0; i < rows; ++i) {
    RandomStream stream(seed, Purpose::data, i);
    const PlanePoint p = functions(toy).draw(stream);
    x(i, 0) = p.x;
    x(i, 1) = p.y;
  }
  return x;
}

arma::vec log_density(Toy toy, const arma::mat& x, int threads) {
  require(x.n_cols == 2, "log_density of ", name(toy), ": ", x.n_cols, " columns; the toys have 2");
  require_finite(x, "log_density");
  arma::vec result(x.n_rows);
  parallel_for(block_count(x.n_rows), threads, [&](std::size_t block) {
    const RowRange rows = block_range(block, x.n_rows);
    for (std::size_t i = rows.begin; i < rows.end; ++i) result[i] = functions(toy).log_density({x(i, 0), x(i, 1)});
  });
  return result;
}

std::string_view name(Toy toy) {
  return functions(toy).name;
}

}  // namespace gaussianize
