#pragma once

#include <cmath>
#include <limits>

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

/// The normal distribution in 34 or 50 digits, from Boost's erfc and, far out, Laplace's continued fraction: nothing
/// that the library itself uses.
namespace oracle {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

using Quad = boost::multiprecision::cpp_bin_float_quad;
using Fifty = boost::multiprecision::cpp_bin_float_50;

template <class T>
T log_sqrt_two_pi() {
  return log(boost::math::constants::root_two_pi<T>());
}

template <class T>
T density(const T& z) {
  return exp(-z * z / 2) / boost::math::constants::root_two_pi<T>();
}

template <class T>
T upper_tail(const T& z) {
  return boost::math::erfc(T(z / boost::math::constants::root_two<T>())) / 2;
}

/// Q/φ for z ≥ 30: 1/(z + 1/(z + 2/(z + …))), of which 60 terms are good for more than 50 digits.
template <class T>
T far_mills(const T& z) {
  T value = z;
  for (int k = 60; k > 0; --k) value = z + k / value;
  return 1 / value;
}

template <class T>
T mills(const T& z) {
  return z < 30 ? T(upper_tail(z) / density(z)) : far_mills(z);
}

template <class T>
T log_mills(const T& z) {
  return z < -30 ? T(boost::math::log1p(T(-upper_tail(T(-z)))) + z * z / 2 + log_sqrt_two_pi<T>()) : T(log(mills(z)));
}

template <class T>
T log_lower_tail(const T& z) {
  if (z > 0) return boost::math::log1p(T(-upper_tail(z)));
  if (z > -30) return log(upper_tail(T(-z)));
  return log(far_mills(T(-z))) - z * z / 2 - log_sqrt_two_pi<T>();
}

/// |value − exact|/|exact|.
template <class T>
double relative_error(double value, const T& exact) {
  return static_cast<double>(abs((T(value) - exact) / exact));
}

/// The relative error of z as the quantile of p, by one Newton step from z: (Φ(z) − p)/(φ(z) z).
template <class T>
double quantile_error(double z, double p) {
  if (z == 0.0) return p == 0.5 ? 0.0 : infinity;
  return static_cast<double>(abs((upper_tail(T(-z)) - p) / (density(T(z)) * z)));
}

/// The same for z as the quantile of the p that has this logarithm: (log Φ(z) − log p)·Φ(z)/(φ(z) z).
template <class T>
double log_quantile_error(double z, double log_p) {
  return static_cast<double>(abs((log_lower_tail(T(z)) - log_p) * mills(T(-z)) / z));
}

}  // namespace oracle
