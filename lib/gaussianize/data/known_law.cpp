#include "gaussianize/data/known_law.hpp"

#include <cmath>

#include "gaussianize/core/error.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/math/random_normal.hpp"

namespace gaussianize {
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

double chain(arma::rowvec& z) {
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

}  // namespace

KnownSample draw(KnownLaw law, std::size_t rows, std::size_t dimension, Seed seed) {
  require(dimension > 0, "draw: dimension is 0; give at least 1");
  KnownSample sample{arma::mat(rows, dimension), arma::vec(rows)};
  for (std::size_t i = 0; i < rows; ++i) {
    RandomStream stream(seed, Purpose::data, i);
    arma::rowvec row = random_normal(1, dimension, stream);
    switch (law) {
      case KnownLaw::gaussian:
        sample.log_density[i] = correlate(row);
        break;
      case KnownLaw::gaussian_copula:
        sample.log_density[i] = correlate(row);
        sample.log_density[i] += bend_margins(row);
        break;
      case KnownLaw::sine_chain:
        sample.log_density[i] = chain(row);
        break;
    }
    sample.x.row(i) = row;
  }
  return sample;
}

std::string_view name(KnownLaw law) {
  switch (law) {
    case KnownLaw::gaussian:
      return "gaussian";
    case KnownLaw::gaussian_copula:
      return "gaussian-copula";
    case KnownLaw::sine_chain:
      return "sine-chain";
  }
  return "unknown";
}

}  // namespace gaussianize
