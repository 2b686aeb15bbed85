#include "gaussianize/data/known_distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <boost/math/special_functions/gamma.hpp>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// Turns independent normals into AR(1) columns of unit variance; returns the log density.
double correlate(arma::rowvec& z) {
  const double innovation = std::sqrt(1 - ar1_correlation * ar1_correlation);
  double log_density = log_normal_pdf(z[0]);
  for (arma::uword d = 1; d < z.n_elem; ++d) {
    log_density += log_normal_pdf(z[d]) - std::log(innovation);
    z[d] = ar1_correlation * z[d - 1] + innovation * z[d];
  }
  return log_density;
}

/// Even columns: x = −log Q(z), exponential, with dx/dz = φ/Q. Odd ones: x = z + 0.9 sin z.
double bend_margins(arma::rowvec& z) {
  double log_density = 0;
  for (arma::uword d = 0; d < z.n_elem; ++d) {
    const double value = z[d];
    if (d % 2 == 0) {
      log_density += log_mills_ratio(value);
      z[d] = -log_normal_cdf(-value);
    } else {
      log_density -= std::log1p(0.9 * std::cos(value));
      z[d] = value + 0.9 * std::sin(value);
    }
  }
  return log_density;
}

double sine_chain(arma::rowvec& z, RandomStream&) {
  constexpr double noise = 0.5;
  double log_density = log_normal_pdf(z[0]);
  for (arma::uword d = 1; d < z.n_elem; ++d) {
    log_density += log_normal_pdf(z[d]) - std::log(noise);
    z[d] = std::sin(2 * z[d - 1]) + noise * z[d];
  }
  for (arma::uword d = 1; d < z.n_elem; d += 2) {
    log_density -= z[d];
    z[d] = std::exp(z[d]);
  }
  return log_density;
}

/// Normals over the root of an independent χ²/ν: q = |z|²/w is the quadratic form of the scale matrix's inverse.
template <bool correlated>
double student(arma::rowvec& z, RandomStream& stream) {
  constexpr double freedom = student_t_freedom;
  const arma::rowvec chi = random_normal(1, student_t_freedom, stream);
  const double w = arma::dot(chi, chi) / freedom;
  const auto dimension = static_cast<double>(z.n_elem);
  const double q = arma::dot(z, z) / w;
  double log_density = boost::math::lgamma((freedom + dimension) / 2) - boost::math::lgamma(freedom / 2) -
                       dimension / 2 * std::log(freedom * std::numbers::pi) -
                       (freedom + dimension) / 2 * std::log1p(q / freedom);
  if (correlated) {
    log_density -= (dimension - 1) / 2 * std::log(1 - ar1_correlation * ar1_correlation);
    correlate(z);
  }
  z /= std::sqrt(w);
  return log_density;
}

double uniform(arma::rowvec& row, RandomStream& stream) {
  const double half_width = std::numbers::sqrt3;
  row.imbue([&] { return half_width * (2 * stream.uniform() - 1); });
  return -static_cast<double>(row.n_elem) * std::log(2 * half_width);
}

double laplace(arma::rowvec& row, RandomStream& stream) {
  constexpr double scale = 1 / std::numbers::sqrt2;
  double log_density = 0;
  row.imbue([&] {
    const double u = stream.uniform();
    const double size = -scale * std::log(2 * std::min(u, 1 - u));
    log_density -= size / scale + std::log(2 * scale);
    return u < 0.5 ? -size : size;
  });
  return log_density;
}

double mixture(arma::rowvec& z, RandomStream& stream) {
  const double centre = stream.below(2) == 0 ? 1 : -1;
  double log_density = -std::numbers::ln2;
  double sum = 0;
  for (double& value : z) {
    value += centre;
    sum += value;
    log_density += log_normal_pdf(value) - 0.5;
  }
  // log(e^{s} + e^{−s})
  return log_density + std::abs(sum) + std::log1p(std::exp(-2 * std::abs(sum)));
}

/// Σ_n row[n] C(k, n), summed in this order whatever the number of rows, as no matrix product promises.
void rotate(const arma::mat& matrix, arma::rowvec& row) {
  arma::rowvec rotated(row.n_elem);
  for (arma::uword k = 0; k < row.n_elem; ++k) {
    double sum = 0;
    for (arma::uword n = 0; n < row.n_elem; ++n) sum += row[n] * matrix(k, n);
    rotated[k] = sum;
  }
  row = rotated;
}

/// How a row is drawn, and what is known of it: `draw` returns the row's log density.
struct Recipe {
  std::string_view name;
  bool from_normals;  ///< the row holds standard normals when `draw` gets it
  bool rotated;       ///< by the DCT-II matrix afterwards, which changes no density
  double (*draw)(arma::rowvec& row, RandomStream& stream);
};

double gaussian(arma::rowvec& z, RandomStream&) {
  return correlate(z);
}

double gaussian_copula(arma::rowvec& z, RandomStream&) {
  const double log_density = correlate(z);
  return log_density + bend_margins(z);
}

/// In the order of the enumeration.
constexpr std::array<Recipe, 8> recipes{{
    {"gaussian", true, false, gaussian},
    {"gaussian-copula", true, false, gaussian_copula},
    {"sine-chain", true, false, sine_chain},
    {"student-t", true, false, student<false>},
    {"student-t-ar1", true, false, student<true>},
    {"rotated-uniform", false, true, uniform},
    {"laplace-mix", false, true, laplace},
    {"gaussian-mixture", true, false, mixture},
}};

const Recipe& recipe(KnownDistribution kind) {
  return recipes.at(static_cast<std::size_t>(kind));
}

}  // namespace

KnownSample draw(KnownDistribution kind, std::size_t rows, std::size_t dimension, Seed seed) {
  require(dimension > 0, "draw: dimension is 0; give at least 1");
  const Recipe& how = recipe(kind);
  const arma::mat matrix = how.rotated ? dct_matrix(dimension) : arma::mat();
  KnownSample sample{arma::mat(rows, dimension), arma::vec(rows)};
  arma::rowvec row(dimension);
  for (std::size_t i = 0; i < rows; ++i) {
    RandomStream stream(seed, Purpose::data, i);
    if (how.from_normals) fill_normal(stream, row.memptr(), row.n_elem);
    sample.log_density[i] = how.draw(row, stream);
    if (how.rotated) rotate(matrix, row);
    sample.x.row(i) = row;
  }
  return sample;
}

arma::mat dct_matrix(std::size_t dimension) {
  const auto size = static_cast<double>(dimension);
  arma::mat matrix(dimension, dimension);
  for (arma::uword n = 0; n < dimension; ++n)
    for (arma::uword k = 0; k < dimension; ++k)
      matrix(k, n) =
          k == 0 ? 1 / std::sqrt(size)
                 : std::sqrt(2 / size) * std::cos(std::numbers::pi * static_cast<double>(k * (2 * n + 1)) / (2 * size));
  return matrix;
}

std::string_view name(KnownDistribution kind) {
  return recipe(kind).name;
}

}  // namespace gaussianize
