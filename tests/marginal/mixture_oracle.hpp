#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <armadillo>
#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "gaussianize/core/random.hpp"
#include "gaussianize/marginal/logistic_mixture.hpp"
#include "gaussianize/math/normal.hpp"

/// The logistic mixture written as its definition says, in a wider number type whose exponents do not end: no clever
/// tail, no hand-made derivative.
namespace gaussianize::testing {

using Wide = long double;
using Fifty = boost::multiprecision::cpp_bin_float_50;

/// Uniform entries in [low, high].
inline arma::mat uniform(std::size_t rows, std::size_t columns, double low, double high, std::uint64_t seed) {
  RandomStream stream(Seed{seed}, Purpose::test, 77);
  arma::mat m(rows, columns);
  for (double& v : m) v = low + (high - low) * stream.uniform();
  return m;
}

inline constexpr Link links[] = {Link::probit, Link::logit};

/// Anchors in ±2, bandwidths from 0.3 to 1.5; logits in ±1 if `weighted`.
inline LogisticMixture random_mixture(std::size_t kernels, std::size_t dimension, bool weighted, std::uint64_t seed,
                                      Link link = Link::probit) {
  return {uniform(kernels, dimension, -2.0, 2.0, seed), uniform(kernels, dimension, -1.2, 0.4, seed + 1000),
          weighted ? uniform(kernels, dimension, -1.0, 1.0, seed + 2000) : arma::mat(), link};
}

/// One dimension of a mixture.
template <class T>
struct MixtureColumn {
  std::vector<T> mu, log_scale, logit;
  Link link;
  MixtureColumn(const LogisticMixture& m, std::size_t d) : link(m.link) {
    for (std::size_t j = 0; j < m.mu.n_rows; ++j) {
      mu.push_back(T(m.mu(j, d)));
      log_scale.push_back(T(m.log_scale(j, d)));
      logit.push_back(T(m.logit.is_empty() ? 0.0 : m.logit(j, d)));
    }
  }
};

/// log Φ(z) and Φ(z)/φ(z) for z ≤ 0: erfc or, far out, Laplace's continued fraction.
template <class T>
struct LowerTail {
  T log_tail, mills;
  explicit LowerTail(const T& z) {
    using std::exp;
    using std::log;
    const T log_density = -z * z / 2 - log(boost::math::constants::root_two_pi<T>());
    if (z > -30) {
      const T tail = boost::math::erfc(T(-z / boost::math::constants::root_two<T>())) / 2;
      log_tail = log(tail);
      mills = tail / exp(log_density);
    } else {
      T value = -z;
      for (int k = 60; k > 0; --k) value = -z + k / value;
      mills = 1 / value;
      log_tail = log_density + log(mills);
    }
  }
};

/// The z ≤ 0 with log Φ(z) = log_p, by Newton's method from the double's answer.
template <class T>
T quantile_of_log(const T& log_p) {
  T z = std::min(normal_quantile_from_log(static_cast<double>(log_p)), 0.0);
  for (int i = 0; i < 3; ++i) {
    const LowerTail<T> tail(z);
    z -= (tail.log_tail - log_p) * tail.mills;
    if (z > 0) z = 0;
  }
  return z;
}

template <class T>
struct MixturePoint {
  T z, log_dzdx;
};

template <class T>
MixturePoint<T> mixture_point(const MixtureColumn<T>& m, const T& x) {
  using std::abs;
  using std::exp;
  using std::log;
  T total = 0, lower = 0, upper = 0, density = 0;
  for (std::size_t j = 0; j < m.mu.size(); ++j) {
    const T weight = exp(m.logit[j]);
    const T t = (x - m.mu[j]) * exp(-m.log_scale[j]);
    const T e = exp(-abs(t));
    const T small = e / (1 + e);
    const T large = 1 / (1 + e);
    total += weight;
    lower += weight * (t < 0 ? small : large);
    upper += weight * (t < 0 ? large : small);
    density += weight * small * large * exp(-m.log_scale[j]);
  }
  if (m.link == Link::logit) {
    const T c = boost::math::constants::root_three<T>() / boost::math::constants::pi<T>();
    return {c * log(T(lower / upper)), log(c) + log(T(density * total / (lower * upper)))};
  }
  const T below = quantile_of_log<T>(log(T((lower < upper ? lower : upper) / total)));
  return {lower < upper ? below : T(-below),
          log(T(density / total)) + below * below / 2 + log(boost::math::constants::root_two_pi<T>())};
}

/// A loss that is linear in the pass, L = Σ z̄ z + ℓ̄ log_dzdx, so that the cotangents are (z̄, ℓ̄); and the rows.
struct MixtureLoss {
  arma::mat x;
  MarginalPass bar;
};

inline MixtureLoss random_loss(const arma::mat& x, std::uint64_t seed) {
  return {x, {uniform(x.n_rows, x.n_cols, -1.0, 1.0, seed), uniform(x.n_rows, x.n_cols, -1.0, 1.0, seed + 500)}};
}

struct MixtureDerivative {
  LogisticMixture theta;
  arma::mat x;
};

/// The derivative as the library has it.
inline MixtureDerivative library_gradient(const LogisticMixture& mixture, const MixtureLoss& loss) {
  MixtureDerivative result{zeros_like(mixture), {}};
  result.x = backward(mixture, loss.x, forward(mixture, loss.x), loss.bar, result.theta);
  return result;
}

/// ∂L/∂(everything) by central differences of sixth order in T. A dimension's loss depends on that dimension alone.
template <class T>
MixtureDerivative numeric_gradient(const LogisticMixture& mixture, const MixtureLoss& loss, const T& step) {
  MixtureDerivative result{zeros_like(mixture), arma::zeros(arma::size(loss.x))};
  for (std::size_t d = 0; d < loss.x.n_cols; ++d) {
    MixtureColumn<T> column(mixture, d);
    const auto row_loss = [&](std::size_t i, const T& x) -> T {
      const MixturePoint<T> p = mixture_point(column, x);
      return loss.bar.z(i, d) * p.z + loss.bar.log_dzdx(i, d) * p.log_dzdx;
    };
    const auto column_loss = [&] {
      T sum = 0;
      for (std::size_t i = 0; i < loss.x.n_rows; ++i) sum += row_loss(i, T(loss.x(i, d)));
      return sum;
    };
    const auto derivative = [&](T& parameter, const auto& function) {
      const T middle = parameter;
      const auto difference = [&](int k) -> T {
        parameter = middle + k * step;
        const T above = function();
        parameter = middle - k * step;
        const T difference_k = above - function();
        parameter = middle;
        return difference_k;
      };
      return static_cast<double>(T((45 * difference(1) - 9 * difference(2) + difference(3)) / (60 * step)));
    };
    for (std::size_t j = 0; j < mixture.mu.n_rows; ++j) {
      result.theta.mu(j, d) = derivative(column.mu[j], column_loss);
      result.theta.log_scale(j, d) = derivative(column.log_scale[j], column_loss);
      if (!mixture.logit.is_empty()) result.theta.logit(j, d) = derivative(column.logit[j], column_loss);
    }
    for (std::size_t i = 0; i < loss.x.n_rows; ++i) {
      T x = loss.x(i, d);
      result.x(i, d) = derivative(x, [&] { return row_loss(i, x); });
    }
  }
  return result;
}

/// The largest error of an element, relative to that element plus a thousandth of the largest (or plus 1e-5, if all are
/// smaller than 0.01); infinite at a NaN.
inline double gradient_error(const arma::mat& value, const arma::mat& exact) {
  double largest = 0.0;
  const double floor = exact.is_empty() ? 0.0 : std::max(1e-5, 1e-3 * arma::abs(exact).max());
  for (std::size_t i = 0; i < exact.n_elem; ++i) {
    const double error = value[i] == exact[i] ? 0.0 : std::abs(value[i] - exact[i]) / (std::abs(exact[i]) + floor);
    largest = error <= largest ? largest : (std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  }
  return largest;
}

inline double gradient_error(const MixtureDerivative& value, const MixtureDerivative& exact) {
  return std::max({gradient_error(value.theta.mu, exact.theta.mu),
                   gradient_error(value.theta.log_scale, exact.theta.log_scale),
                   gradient_error(value.theta.logit, exact.theta.logit), gradient_error(value.x, exact.x)});
}

}  // namespace gaussianize::testing
