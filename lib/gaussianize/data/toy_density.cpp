#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/data/detail/curve_density.hpp"
#include "gaussianize/data/detail/toy_shape.hpp"
#include "gaussianize/data/toys.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

using namespace toy;

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

double log_normal(double x, double mean, double sigma) {
  return log_normal_pdf((x - mean) / sigma) - std::log(sigma);
}

double checkerboard(Point p) {
  if (std::abs(p.x) > 4 || std::abs(p.y) > 4) return minus_infinity;
  const bool even = std::fmod(std::floor(p.x / 2) + std::floor(p.y / 2) + 4, 2.0) == 0;
  return even ? -std::log(32.0) : minus_infinity;
}

double eight_gaussians(Point p) {
  double sum = minus_infinity;
  for (int k = 0; k < 8; ++k) {
    const Point centre = eight_gaussians_centre(k);
    sum = log_add(sum,
                  log_normal(p.x, centre.x, eight_gaussians_noise) + log_normal(p.y, centre.y, eight_gaussians_noise));
  }
  return sum - std::log(8.0);
}

/// A point of radius 2ρ and polar angle ψ comes from (r, t) = ρ(cos α, sin α) where turned(α) = ψ, up to multiples of
/// an arm's angle: turned(α) = α − ¼ e^{ρ cos α}. Its derivative 1 + ¼ t e^r is also the map's Jacobian, but for the
/// scale.
struct Pinwheel {
  double rho;

  double turned(double alpha) const { return alpha - pinwheel_bend(rho * std::cos(alpha)); }
  double slope(double alpha) const { return 1 + rho * std::sin(alpha) * pinwheel_bend(rho * std::cos(alpha)); }

  template <class Function>
  static double bisect(Function f, double low, double high) {
    const bool rising = f(high) >= f(low);
    while (high - low > 1e-15) {
      const double middle = (low + high) / 2;
      ((f(middle) < 0) == rising ? low : high) = middle;
    }
    return low;
  }

  /// −π, π, and between them where `turned` turns round. The slope has one minimum, where cos α = ρ sin² α, α < 0.
  std::vector<double> breaks() const {
    if (rho == 0) return {-pi, pi};
    const double cosine = 2 * rho / (1 + std::sqrt(1 + 4 * rho * rho));
    const double steepest = -std::acos(cosine);
    if (slope(steepest) >= 0) return {-pi, pi};
    const auto f = [this](double alpha) { return slope(alpha); };
    return {-pi, bisect(f, -pi, steepest), bisect(f, steepest, 0.0), pi};
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
        const double root = bisect([&](double alpha) { return turned(alpha) - target; }, ends[i], ends[i + 1]);
        sum = log_add(sum, log_term(root));
      }
    }
    return sum - std::log(pinwheel_arms) - 2 * std::log(2.0);
  }
};

double pinwheel(Point p) {
  const double radius = std::hypot(p.x, p.y);
  if (radius > 12) return minus_infinity;
  return Pinwheel{radius / 2}.log_density(std::atan2(p.y, p.x));
}

double two_spirals(Point p) {
  static const CurveDensity one(spiral, [](double turn) { return 2 * turn / (spiral_end * spiral_end); }, 0, spiral_end,
                                {spiral_noise, spiral_box});
  return -std::numbers::ln2 + log_add(one.log_density(p), one.log_density({-p.x, -p.y}));
}

double moons(Point p) {
  static const CurveDensity upper(moon, [](double) { return 1 / pi; }, 0, pi, {moon_noise});
  return -std::numbers::ln2 + log_add(upper.log_density(p), upper.log_density({-p.x, moon_mirror - p.y}));
}

double swiss_roll(Point p) {
  static const CurveDensity curve(roll, [](double) { return 1 / (roll_end - roll_begin); }, roll_begin, roll_end,
                                  {roll_noise});
  return curve.log_density(p);
}

/// log(e^{−x} I₀(x)), x ≥ 0: the power series, whose terms are all positive, or from 30 on the asymptotic one, whose
/// smallest term there is below 1e-25.
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
double rings(Point p) {
  const double rho = std::hypot(p.x, p.y);
  constexpr double variance = ring_noise * ring_noise;
  double sum = minus_infinity;
  for (const double radius : ring_radii)
    sum = log_add(sum, -(rho - radius) * (rho - radius) / (2 * variance) + log_scaled_bessel(rho * radius / variance));
  return sum - std::log(static_cast<double>(ring_radii.size()) * 2 * pi * variance);
}

double cos_curve(Point p) {
  if (std::abs(p.x) > cos_half_width) return minus_infinity;
  return log_normal(p.y, toy::cos_curve(p.x), cos_noise) - std::log(2 * cos_half_width);
}

double log_density_at(Toy toy, Point p) {
  switch (toy) {
    case Toy::checkerboard:
      return checkerboard(p);
    case Toy::eight_gaussians:
      return eight_gaussians(p);
    case Toy::pinwheel:
      return pinwheel(p);
    case Toy::two_spirals:
      return two_spirals(p);
    case Toy::moons:
      return moons(p);
    case Toy::rings:
      return rings(p);
    case Toy::swiss_roll:
      return swiss_roll(p);
    case Toy::cos_curve:
      return cos_curve(p);
  }
  return minus_infinity;
}

}  // namespace

arma::vec log_density(Toy toy, const arma::mat& x, int threads) {
  require(x.n_cols == 2, "log_density of ", name(toy), ": ", x.n_cols, " columns; the toys have 2");
  require_finite(x, "log_density");
  arma::vec result(x.n_rows);
  parallel_for(block_count(x.n_rows), threads, [&](std::size_t block) {
    const RowRange rows = block_range(block, x.n_rows);
    for (std::size_t i = rows.begin; i < rows.end; ++i) result[i] = log_density_at(toy, {x(i, 0), x(i, 1)});
  });
  return result;
}

}  // namespace gaussianize
