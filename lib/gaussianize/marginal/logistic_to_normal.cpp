#include "gaussianize/marginal/logistic_to_normal.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gaussianize/marginal/detail/check_sizes.hpp"
#include "gaussianize/math/detail/simd.hpp"
#include "gaussianize/math/link.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

// z* and, by (B1), u* and a.
constexpr double joint_z = 8.0;
constexpr double joint_u = 19.303919634296016;
constexpr double joint_slope = 0.22333667667414853;
constexpr double width = 100.0;  // w
constexpr double log_sqrt_two_pi = 0.91893853320467274178;
constexpr std::size_t strip = 256;

/// (B2) at v ≥ 0.
struct Beyond {
  double v, r;
  explicit Beyond(double at) : v(at), r(std::hypot(at, width)) {}
  double value() const { return joint_z + joint_slope * v + (1 - joint_slope) * (v / (r + width) * v); }
  double slope() const { return joint_slope + (1 - joint_slope) * (v / r); }
  /// (d²z/du²)/(dz/du)
  double log_slope_derivative() const { return (1 - joint_slope) * (width / r) * (width / r) / (r * slope()); }
};

/// The v ≥ 0 of (B2) at which z exceeds z* by `rise`: with b = 1 − a and q = rise + b w, the root of
/// (a² − b²) v² − 2 a q v + q² − b² w² = 0, where a² − b² = 2a − 1 < 0.
double beyond_inverse(double rise) {
  constexpr double b = 1 - joint_slope;
  const double q = rise + b * width;
  const double constant = rise * (rise + 2 * b * width);
  if (!std::isfinite(constant)) return rise;  // so far out that the slope is 1
  return constant /
         (joint_slope * q + std::sqrt(joint_slope * q * (joint_slope * q) + (1 - 2 * joint_slope) * constant));
}

/// −log of the logistic density e^{−t}/(1 + e^{−t})²/c for a strip of |u|, and tanh(t/2)/c; anything beyond joint_u.
struct LogisticStrip {
  alignas(64) std::array<double, strip> small, minus_log, derivative;

  void set(const double* u, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) small[i] = -std::min(std::abs(u[i]), joint_u) / logit_scale;
    simd().exp(small.data(), small.data(), n);
    for (std::size_t i = 0; i < n; ++i) minus_log[i] = 1 + small[i];
    simd().log(minus_log.data(), minus_log.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      minus_log[i] = std::abs(u[i]) / logit_scale + 2 * minus_log[i] + std::log(logit_scale);
      derivative[i] = (1 - small[i]) / (1 + small[i]) / logit_scale;
    }
  }
};

}  // namespace

void check(const LogisticToNormal& map) {
  check_sizes(map);
}

void forward(const LogisticToNormal&, arma::mat& u, arma::vec& log_det) {
  LogisticStrip logistic;
  std::array<double, strip> below{};
  for (arma::uword d = 0; d < u.n_cols; ++d) {
    for (std::size_t begin = 0; begin < u.n_rows; begin += strip) {
      const std::size_t count = std::min<std::size_t>(strip, u.n_rows - begin);
      double* values = u.colptr(d) + begin;
      logistic.set(values, count);
      for (std::size_t i = 0; i < count; ++i) below[i] = logistic.small[i] / (1 + logistic.small[i]);
      simd().lower_quantile(below.data(), below.data(), count);
      for (std::size_t i = 0; i < count; ++i) {
        if (!(std::abs(values[i]) <= joint_u)) {
          const Beyond beyond(std::abs(values[i]) - joint_u);
          values[i] = std::copysign(beyond.value(), values[i]);
          log_det[begin + i] += std::log(beyond.slope());
        } else {
          values[i] = std::copysign(below[i], values[i]);
          log_det[begin + i] += 0.5 * below[i] * below[i] + log_sqrt_two_pi - logistic.minus_log[i];
        }
      }
    }
  }
}

void inverse(const LogisticToNormal&, arma::mat& z) {
  for (double& value : z) {
    const double size = std::abs(value);
    double u = logit_scale * (log_normal_cdf(size) - log_normal_cdf(-size));
    if (size > joint_z) u = joint_u + beyond_inverse(size - joint_z);
    value = std::copysign(u, value);
  }
}

double logistic_base_loss(const arma::mat& u, arma::mat& u_bar) {
  LogisticStrip logistic;
  u_bar.set_size(u.n_rows, u.n_cols);
  double sum = 0;
  for (std::size_t begin = 0; begin < u.n_elem; begin += strip) {
    const std::size_t count = std::min<std::size_t>(strip, u.n_elem - begin);
    const double* values = u.memptr() + begin;
    double* bar = u_bar.memptr() + begin;
    logistic.set(values, count);
    for (std::size_t i = 0; i < count; ++i) {
      double derivative = logistic.derivative[i];
      if (!(std::abs(values[i]) <= joint_u)) {
        const Beyond beyond(std::abs(values[i]) - joint_u);
        const double z = beyond.value();
        sum += 0.5 * z * z - std::log(beyond.slope());
        derivative = z * beyond.slope() - beyond.log_slope_derivative();
      } else {
        sum += logistic.minus_log[i] - log_sqrt_two_pi;
      }
      bar[i] = std::copysign(derivative, values[i]);
    }
  }
  return sum;
}

}  // namespace gaussianize
