#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <boost/math/special_functions/bessel.hpp>

#include "gaussianize/math/normal.hpp"

#include "support/dependence_rows.hpp"

namespace gaussianize::testing {
namespace {

using std::numbers::ln2, std::numbers::pi;

// --- signs and squares ------------------------------------------------------------------------------------------

/// Standard normals, `signs` of them conditioned on the product of their signs being positive: the density is doubled
/// on half of the space, and any fewer columns are independent.
MakeRow sign_product(std::size_t columns, std::size_t signs, double log_ratio) {
  return [=](RandomStream& stream, double* row) {
    fill_normal(stream, row, columns);
    bool negative = false;
    for (std::size_t d = 0; d < signs; ++d) negative ^= row[d] < 0;
    if (negative) row[signs - 1] = -row[signs - 1];
    return log_ratio;
  };
}

double first_two_of_sign_product(RandomStream& stream, double* row) {
  static const MakeRow make_all = sign_product(3, 3, 0);
  std::array<double, 3> all{};
  const double log_ratio = make_all(stream, all.data());
  std::copy_n(all.begin(), 2, row);
  return log_ratio;
}

/// Uniform on the black squares of a k × k board, k even: both columns are uniform, and the density is 2.
DependenceCase checkerboard(std::uint64_t k) {
  const std::string side = std::to_string(k);
  return by_rows("checkerboard " + side + "x" + side, ln2, {2}, [k](RandomStream& stream, double* row) {
    const std::uint64_t column = stream.below(k), line = 2 * stream.below(k / 2) + column % 2;
    row[0] = (static_cast<double>(column) + stream.uniform()) / static_cast<double>(k);
    row[1] = (static_cast<double>(line) + stream.uniform()) / static_cast<double>(k);
    return ln2;
  });
}

// --- ring, product and sum --------------------------------------------------------------------------------------

constexpr double ring_radius = 2, ring_width = 0.2;

/// The density at distance r from the centre.
double ring_density(double r) {
  return r > 0 ? normal_pdf((r - ring_radius) / ring_width) / (ring_width * 2 * pi * r) : 0;
}

double ring_marginal(double x) {
  return trapezoid(-4, 4, 0.04, [x](double y) { return ring_density(std::hypot(x, y)); });
}

/// A radius below 0, ten standard deviations from its mean, does not occur.
DependenceCase ring() {
  // h(x, y) = h(radius) + log 2π + E log radius.
  const double mean_log = trapezoid(
      0.02, 4, 0.02, [](double r) { return normal_pdf((r - ring_radius) / ring_width) / ring_width * std::log(r); });
  const double joint = normal_entropy + std::log(ring_width) + std::log(2 * pi) + mean_log;
  const double marginal = trapezoid(-4, 4, 0.02, [](double x) { return minus_p_log_p(ring_marginal(x)); });
  return by_rows("ring", 2 * marginal - joint, {2}, [](RandomStream& stream, double* row) {
    const double r = ring_radius + ring_width * one_normal(stream), angle = 2 * pi * stream.uniform();
    row[0] = r * std::cos(angle);
    row[1] = r * std::sin(angle);
    return std::log(ring_density(r) / (ring_marginal(row[0]) * ring_marginal(row[1])));
  });
}

/// y = x·e, whose density is K₀(|y|)/π.
DependenceCase multiplicative_noise() {
  // h(y) = log π − (2/π) ∫ K₀ log K₀ over y = e^t > 0, and h(y | x) = h(e) + E log|x|.
  const double integral = trapezoid(-40, 6.5, 0.05, [](double t) {
    const double y = std::exp(t);
    return -y * minus_p_log_p(boost::math::cyl_bessel_k(0, y));
  });
  const double truth = std::log(pi) - 2 / pi * integral - normal_entropy + 0.5 * (std::numbers::egamma + ln2);
  return by_rows("multiplicative noise", truth, {1, 1}, [](RandomStream& stream, double* row) {
    row[0] = one_normal(stream);
    const double e = one_normal(stream);
    row[1] = row[0] * e;
    return log_normal_pdf(e) - std::log(std::abs(row[0])) -
           std::log(boost::math::cyl_bessel_k(0, std::abs(row[1])) / pi);
  });
}

/// x uniform on (0, 1), y = x + εv, v uniform on (−1, 1), ε ≤ ½: y has density 1 in the middle and two ramps of width
/// 2ε, so that h(y) = ε, and h(y | x) = log 2ε.
DependenceCase additive_uniform_noise() {
  constexpr double epsilon = 0.25;
  return by_rows("additive uniform noise", epsilon - std::log(2 * epsilon), {1, 1},
                 [](RandomStream& stream, double* row) {
                   row[0] = stream.uniform();
                   row[1] = row[0] + epsilon * (2 * stream.uniform() - 1);
                   const double inside = std::min(row[1], 1 - row[1]) + epsilon;
                   return -std::log(2 * epsilon) - std::log(std::min(1.0, inside / (2 * epsilon)));
                 });
}

// --- given z ----------------------------------------------------------------------------------------------------

DependenceCase conditional_chain() {
  return by_rows("conditional chain", 0, {1, 1, 1}, [](RandomStream& stream, double* row) {
    fill_normal(stream, row, 3);
    row[2] = 0.8 * row[0] + 0.6 * row[2];
    row[1] = 0.8 * row[2] + 0.6 * row[1];
    return 0.0;
  });
}

/// x = z²/2 + e, y = sin 2z + ½x + ½f: given z, normal with correlation √½.
DependenceCase conditional_nonlinear() {
  return by_rows("conditional nonlinear", 0.5 * ln2, {1, 1, 1}, [](RandomStream& stream, double* row) {
    fill_normal(stream, row, 3);
    const double z = row[2], e = row[0], y_noise = 0.5 * e + 0.5 * row[1];
    row[0] = z * z / 2 + e;
    row[1] = std::sin(2 * z) + z * z / 4 + y_noise;
    return normal_log_ratio(e, std::numbers::sqrt2 * y_noise, std::numbers::sqrt2 / 2);
  });
}

/// x and y are two noisy functions of z and nothing else.
DependenceCase conditional_common_cause() {
  return by_rows("conditional common cause", 0, {1, 1, 1}, [](RandomStream& stream, double* row) {
    fill_normal(stream, row, 3);
    row[0] = std::cos(2 * row[2]) + 0.5 * row[0];
    row[1] = std::sin(2 * row[2]) + 0.5 * row[1];
    return 0.0;
  });
}

}  // namespace

std::vector<DependenceCase> shape_dependence_cases() {
  return {
      by_rows("sign product D=3", ln2, {3}, sign_product(3, 3, ln2)),
      by_rows("sign product of 3 in D=5", ln2, {5}, sign_product(5, 3, ln2)),
      by_rows("sign product of all 5", ln2, {5}, sign_product(5, 5, ln2)),
      by_rows("exclusive or", ln2, {1, 1, 1}, sign_product(3, 3, ln2)),
      by_rows("exclusive or, x1; x2", 0, {1, 1}, first_two_of_sign_product),
      by_rows("exclusive or, (x1, x2); x3", ln2, {2, 1}, sign_product(3, 3, ln2)),
      checkerboard(4),
      checkerboard(6),
      ring(),
      multiplicative_noise(),
      additive_uniform_noise(),
      conditional_chain(),
      conditional_nonlinear(),
      conditional_common_cause(),
  };
}

}  // namespace gaussianize::testing
