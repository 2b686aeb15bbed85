#include "gaussianize/data/true_entropy.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <boost/math/quadrature/trapezoidal.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

using std::numbers::pi;

// Of unit variance each.
constexpr double normal_entropy = 1.4189385332046727;                       // ½ log 2πe
constexpr double laplace_entropy = 1 + std::numbers::ln2 / 2;               // 1 + log 2b, b = 1/√2
constexpr double uniform_entropy = std::numbers::ln2 + 0.5493061443340549;  // log 2√3

/// −½(D − 1) log(1 − ρ²), which correlation takes from the entropy.
double ar1_information(double dimension) {
  return -(dimension - 1) / 2 * std::log(1 - ar1_correlation * ar1_correlation);
}

/// E log(1 + a cos Z) for a standard normal Z, from the Fourier series of the logarithm, whose terms fall as e^{−k²/2}.
double mean_log_one_plus_cos(double a) {
  const double root = std::sqrt(1 - a * a);
  const double b = (1 - root) / a;
  double sum = std::log((1 + root) / 2);
  for (int k = 1; k <= 12; ++k) sum += (k % 2 == 1 ? 2 : -2) * std::pow(b, k) / k * std::exp(-k * k / 2.0);
  return sum;
}

/// The entropy of t with ν degrees of freedom and scale matrix I.
double student_entropy(std::size_t dimension) {
  using boost::math::digamma, boost::math::lgamma;
  constexpr double half_freedom = student_t_freedom / 2.0;
  const double half = static_cast<double>(dimension) / 2;
  return lgamma(half_freedom) - lgamma(half_freedom + half) + half * std::log(student_t_freedom * pi) +
         (half_freedom + half) * (digamma(half_freedom + half) - digamma(half_freedom));
}

/// The entropy of ½N(m, 1) + ½N(−m, 1), ½ log 2πe + m² − E log cosh(m² + mZ), by the trapezoidal rule, which converges
/// geometrically for a normal mean.
double pair_entropy(double m) {
  const auto integrand = [m](double z) {
    const double t = std::abs(m * m + m * z);
    return normal_pdf(z) * (t + std::log1p(std::exp(-2 * t)) - std::numbers::ln2);
  };
  return normal_entropy + m * m - boost::math::quadrature::trapezoidal(integrand, -12.0, 12.0, 1e-12);
}

/// The entropy of a symmetric distribution of unit variance, from its characteristic function by one Fourier transform
/// over (−24, 24): to about 1e-8 if that function falls at least as t⁻³.
template <class Characteristic>
double entropy_from_characteristic(Characteristic characteristic) {
  constexpr arma::uword points = 1 << 16;
  constexpr double half_width = 24;
  constexpr double step = 2 * half_width / points;
  arma::cx_vec values(points);
  for (arma::uword k = 0; k <= points / 2; ++k) {
    values[k] = characteristic(pi * static_cast<double>(k) / half_width);
    if (k > 0) values[points - k] = values[k];
  }
  const arma::vec density = arma::real(arma::ifft(values)) / step;
  double entropy = 0;
  // Where the density is below the transform's own rounding it contributes nothing.
  for (const double f : density)
    if (f > 1e-13) entropy -= step * f * std::log(f);
  return entropy;
}

/// The entropy of Σ_n w_n u_n for independent uniforms u of unit variance.
double uniform_sum_entropy(const arma::rowvec& weights) {
  const arma::rowvec w = arma::sort(arma::abs(weights), "descend");
  const arma::uword count = arma::accu(w > 1e-12);
  if (count == 1) return uniform_entropy + std::log(w[0]);
  // A trapezium.
  if (count == 2) return uniform_entropy + std::log(w[0]) + w[1] / (2 * w[0]);
  return entropy_from_characteristic([&](double t) {
    double product = 1;
    for (arma::uword n = 0; n < count && std::abs(product) > 1e-25; ++n) {
      const double s = std::numbers::sqrt3 * w[n] * t;
      if (s > 0) product *= std::sin(s) / s;
    }
    return product;
  });
}

double laplace_sum_entropy(const arma::rowvec& weights) {
  const arma::uword count = arma::accu(arma::abs(weights) > 1e-12);
  if (count == 1) return laplace_entropy + std::log(arma::abs(weights).max());
  return entropy_from_characteristic([&](double t) {
    double product = 1;
    for (const double w : weights) product /= 1 + w * w * t * t / 2;
    return product;
  });
}

template <class Entropy>
double sum_over_rows(const arma::mat& matrix, Entropy entropy) {
  double sum = 0;
  for (arma::uword k = 0; k < matrix.n_rows; ++k) sum += entropy(matrix.row(k));
  return sum;
}

}  // namespace

double true_entropy(KnownDistribution kind, std::size_t dimension) {
  require(dimension > 0, "true_entropy: dimension is 0; give at least 1");
  const auto d = static_cast<double>(dimension);
  switch (kind) {
    case KnownDistribution::gaussian:
      return d * normal_entropy - ar1_information(d);
    case KnownDistribution::gaussian_copula: {
      const auto odd = static_cast<double>(dimension / 2);
      return (d - odd) + odd * (normal_entropy + mean_log_one_plus_cos(0.9)) - ar1_information(d);
    }
    case KnownDistribution::sine_chain:  // exponentiating adds a column's mean, which is 0 by symmetry
      return d * normal_entropy - (d - 1) * std::numbers::ln2;
    case KnownDistribution::student_t:
      return student_entropy(dimension);
    case KnownDistribution::student_t_ar1:
      return student_entropy(dimension) - ar1_information(d);
    case KnownDistribution::rotated_uniform:
      return d * uniform_entropy;
    case KnownDistribution::laplace_mix:
      return d * laplace_entropy;
    case KnownDistribution::gaussian_mixture:  // along (1, …, 1) the centres are √D from 0; across it all is noise
      return (d - 1) * normal_entropy + pair_entropy(std::sqrt(d));
  }
  return 0;
}

std::optional<double> true_total_correlation(KnownDistribution kind, std::size_t dimension) {
  require(dimension > 0, "true_total_correlation: dimension is 0; give at least 1");
  const auto d = static_cast<double>(dimension);
  switch (kind) {
    case KnownDistribution::gaussian:
    case KnownDistribution::gaussian_copula:
      return ar1_information(d);
    case KnownDistribution::sine_chain:
      return std::nullopt;
    case KnownDistribution::student_t:
    case KnownDistribution::student_t_ar1:
      return d * student_entropy(1) - true_entropy(kind, dimension);
    case KnownDistribution::rotated_uniform:
      return sum_over_rows(dct_matrix(dimension), uniform_sum_entropy) - true_entropy(kind, dimension);
    case KnownDistribution::laplace_mix:
      return sum_over_rows(dct_matrix(dimension), laplace_sum_entropy) - true_entropy(kind, dimension);
    case KnownDistribution::gaussian_mixture:
      return d * pair_entropy(1) - true_entropy(kind, dimension);
  }
  return std::nullopt;
}

}  // namespace gaussianize
