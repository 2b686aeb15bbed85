#include "gaussianize/marginal/logistic_to_normal.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gaussianize/math/link.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/math/simd.hpp"

namespace gaussianize {
namespace {

// Where dz/du = ½ in (B1).
constexpr double joint_u = 4.341853989015157;
constexpr double joint_z = 3.367046917272189;
constexpr double width = 10.0;  // w
constexpr double log_sqrt_two_pi = 0.91893853320467274178;
constexpr std::size_t strip = 256;

/// (B2) at v ≥ 0.
struct Beyond {
  double v, r;
  explicit Beyond(double at) : v(at), r(std::hypot(at, width)) {}
  double value() const { return joint_z + 0.5 * (v + v / (r + width) * v); }
  double slope() const { return 0.5 * (1 + v / r); }
  /// (d²z/du²)/(dz/du)
  double log_slope_derivative() const { return (width / r) * (width / r) / (r + v); }
};

/// −log of the logistic density e^{−t}/(1 + e^{−t})²/c for a strip of |u|, and tanh(t/2)/c; anything beyond joint_u.
struct LogisticStrip {
  alignas(64) std::array<double, strip> small, minus_log, derivative;

  void evaluate(const double* u, std::size_t n) {
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

void apply(const LogisticToNormal&, arma::mat& u, arma::vec& log_det) {
  LogisticStrip logistic;
  std::array<double, strip> below{};
  for (arma::uword d = 0; d < u.n_cols; ++d) {
    for (std::size_t begin = 0; begin < u.n_rows; begin += strip) {
      const std::size_t count = std::min<std::size_t>(strip, u.n_rows - begin);
      double* values = u.colptr(d) + begin;
      logistic.evaluate(values, count);
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

void apply_inverse(const LogisticToNormal&, arma::mat& z) {
  for (double& value : z) {
    const double size = std::abs(value);
    double u = logit_scale * (log_normal_cdf(size) - log_normal_cdf(-size));
    if (size > joint_z) {
      // q = ½(v + √(v² + w²)) has the inverse v = q − w²/4q, and v = 0 at q = w/2.
      const double q = (size - joint_z) + 0.5 * width;
      u = joint_u + (size - joint_z) * (1 + 0.5 * width / q);
    }
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
    logistic.evaluate(values, count);
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
