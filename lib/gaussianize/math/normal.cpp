#include "gaussianize/math/normal.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "gaussianize/math/detail/quantile_coefficients.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double inverse_sqrt_two_pi = 0.39894228040143267794;
constexpr double log_sqrt_two_pi = 0.91893853320467274178;
constexpr double log_two = 0.69314718055994530942;
constexpr double log_two_rest = 2.3190468138462996155e-17;  // log 2 − its nearest double

// (1 + z)·Q(z)/φ(z) as a polynomial in t = (z − 5)/(z + 5), for z ≥ 0: a truncated Chebyshev series. Relative error
// before rounding 3.8e-17.
constexpr std::array<double, 25> mills_coefficients{
    1.1568486282918946,     -0.22948753825211315,   0.07778159886873554,     0.0250721793016388,
    -0.0661776007789934,    0.0615050458401865,     -0.038026592187762366,   0.01634823128102938,
    -0.004201290310663574,  1.9530638370790786e-05, 0.00045704381820007954,  -0.0001343742785571135,
    -2.48054584472145e-05,  2.270961270923768e-05,  -1.7723438185601556e-07, -3.277287633208865e-06,
    3.2197131609042185e-07, 4.91996233147834e-07,   -6.738323465177047e-08,  -7.758520236786343e-08,
    1.0082895646260188e-08, 1.1032071151574336e-08, -1.0846925288860795e-09, -9.564832934712551e-10,
    6.288377855498677e-11};

template <std::size_t N>
double polynomial(const std::array<double, N>& c, double x) {
  double sum = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

double ratio(const detail::Rational& r, double x) {
  return polynomial(r.numerator, x) / polynomial(r.denominator, x);
}

/// Q(z)/φ(z) for z ≥ 0, infinity included.
double mills_ratio(double z) {
  return polynomial(mills_coefficients, 1.0 - 10.0 / (z + 5.0)) / (1.0 + z);
}

/// Φ(z) for z ≤ 0.
double lower_tail(double z) {
  return normal_pdf(z) * mills_ratio(-z);
}

/// Φ⁻¹(½ + q) for |q| ≤ central_bound.
double central(double q) {
  return q * ratio(detail::central_quantile, detail::central_shift - q * q);
}

/// −Φ⁻¹(p) for r = √(−log p), up to r = 27.3, the smallest subnormal p.
double tail(double r) {
  return r <= detail::far_shift ? ratio(detail::near_quantile, r - detail::near_shift)
                                : ratio(detail::far_quantile, r - detail::far_shift);
}

/// −Φ⁻¹(p) for log p < −700, from y²/2 = −log p − log √(2π) + log(Q(y)/φ(y)). That map's slope in y is about
/// 1/y² < 1/1300 and the start is within 1e-3, so four rounds reach the last bit.
double far_tail(double log_p) {
  // √2 outside, so that twice the largest double is never asked for.
  const double root_2 = 1.41421356237309504880;
  double y = root_2 * std::sqrt(-(log_p + log_sqrt_two_pi) - 0.5 * (std::log(-log_p) + 0.69314718055994530942));
  for (int i = 0; i < 4; ++i) y = root_2 * std::sqrt(-(log_p + (log_sqrt_two_pi - std::log(mills_ratio(y)))));
  return y;
}

}  // namespace

double normal_pdf(double z) {
  if (std::abs(z) > 39.0) return 0.0;
  // exp would magnify the rounding of z² by z²/2: bring it back.
  const double square = z * z;
  const double rest = std::fma(z, z, -square);
  const double g = std::exp(-0.5 * square);
  return inverse_sqrt_two_pi * (g - 0.5 * rest * g);
}

double log_normal_pdf(double z) {
  return std::fma(-0.5 * z, z, -log_sqrt_two_pi);
}

double normal_cdf(double z) {
  return z <= 0.0 ? lower_tail(z) : 1.0 - lower_tail(-z);
}

double log_normal_cdf(double z) {
  if (z > 0.0) return std::log1p(-lower_tail(-z));
  if (z == -infinity) return z;
  return std::fma(-0.5 * z, z, std::log(mills_ratio(-z)) - log_sqrt_two_pi);
}

double log_mills_ratio(double z) {
  return z >= 0.0 ? std::log(mills_ratio(z)) : std::log1p(-lower_tail(z)) - log_normal_pdf(z);
}

double normal_quantile(double p) {
  if (!(p >= 0.0 && p <= 1.0)) return not_a_number;
  if (p == 0.0) return -infinity;
  if (p == 1.0) return infinity;
  const double q = p - 0.5;
  if (std::abs(q) <= detail::central_bound) return central(q);
  return q < 0.0 ? -tail(std::sqrt(-std::log(p))) : tail(std::sqrt(-std::log(1.0 - p)));
}

double upper_normal_quantile(double q) {
  return -normal_quantile(q);
}

double normal_quantile_from_log(double log_p) {
  if (!(log_p <= 0.0)) return not_a_number;
  if (log_p == 0.0) return infinity;
  if (log_p == -infinity) return -infinity;
  if (log_p < -700.0) return -far_tail(log_p);
  // p − ½ without forming p, so that z keeps its relative accuracy near log p = −log 2.
  const double q = 0.5 * std::expm1((log_p + log_two) + log_two_rest);
  if (std::abs(q) <= detail::central_bound) return central(q);
  return q < 0.0 ? -tail(std::sqrt(-log_p)) : tail(std::sqrt(-std::log(-std::expm1(log_p))));
}

}  // namespace gaussianize
