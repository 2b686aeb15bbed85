#include "gaussianize/rotation/detail/contrast.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gaussianize/math/detail/simd.hpp"

namespace gaussianize::detail {
namespace {

// A strip and its exponentials stay in the first-level cache.
constexpr std::size_t strip = 512;

// The sum is kept in this many lanes, which the compiler turns into vectors.
constexpr std::size_t lanes = 8;

double lane_sum(const double* values, std::size_t n) {
  std::array<double, lanes> sum{};
  const std::size_t whole = n / lanes * lanes;
  for (std::size_t i = 0; i < whole; i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) sum[k] += values[i + k];
  for (std::size_t i = whole; i < n; ++i) sum[0] += values[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// Each of these replaces u by g′(u) and writes g″(u) to e. The two do not overlap.

void log_cosh(double* __restrict u, double* __restrict e, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) e[i] = -2.0 * std::abs(u[i]);
  simd().exp(e, e, n);
  // tanh u from e = exp(−2|u|), which cannot overflow.
  for (std::size_t i = 0; i < n; ++i) {
    const double t = (1.0 - e[i]) / (1.0 + e[i]);
    u[i] = std::copysign(t, u[i]);
    e[i] = 1.0 - t * t;
  }
}

void gauss(double* __restrict u, double* __restrict e, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) e[i] = -0.5 * u[i] * u[i];
  simd().exp(e, e, n);
  for (std::size_t i = 0; i < n; ++i) {
    const double value = u[i];
    u[i] = value * e[i];
    e[i] *= 1.0 - value * value;
  }
}

void cubic(double* __restrict u, double* __restrict e, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double square = u[i] * u[i];
    u[i] *= square;
    e[i] = 3.0 * square;
  }
}

void skew(double* __restrict u, double* __restrict e, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    e[i] = 2.0 * u[i];
    u[i] *= u[i];
  }
}

using StripFunction = void (*)(double*, double*, std::size_t);

StripFunction strip_function(Contrast contrast) {
  switch (contrast) {
    case Contrast::log_cosh:
      return log_cosh;
    case Contrast::gauss:
      return gauss;
    case Contrast::cubic:
      return cubic;
    case Contrast::skew:
      return skew;
  }
  return log_cosh;
}

}  // namespace

double differentiate_contrast(Contrast contrast, double* u, std::size_t n) {
  const StripFunction function = strip_function(contrast);
  std::array<double, strip> scratch{};
  double sum = 0.0;
  for (std::size_t begin = 0; begin < n; begin += strip) {
    const std::size_t size = std::min(strip, n - begin);
    function(u + begin, scratch.data(), size);
    sum += lane_sum(scratch.data(), size);
  }
  return sum;
}

}  // namespace gaussianize::detail
