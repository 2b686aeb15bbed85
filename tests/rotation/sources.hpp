#pragma once

#include <cmath>
#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

#include "support/draws.hpp"

/// Data whose directions are known, and how well they were found.
namespace gaussianize::testing {
using namespace detail;

enum class Source { laplace, uniform, exponential, bimodal, student };

/// One draw, by inversion, of mean zero and unit variance (Student's t with five degrees of freedom is by Bailey's
/// polar formula, which needs two uniforms).
inline double draw(Source source, RandomStream& stream) {
  const double u = stream.uniform();
  switch (source) {
    case Source::laplace:
      return (u < 0.5 ? std::log(2.0 * u) : -std::log(2.0 * (1.0 - u))) / std::sqrt(2.0);
    case Source::uniform:
      return std::sqrt(12.0) * (u - 0.5);
    case Source::exponential:
      return -std::log(u) - 1.0;
    case Source::bimodal: {
      double z = 0.0;
      fill_normal(stream, &z, 1);
      return (u < 0.5 ? -0.9 : 0.9) + std::sqrt(1.0 - 0.81) * z;
    }
    case Source::student: {
      constexpr double nu = 5.0, pi = 3.14159265358979323846;
      const double radius = std::sqrt(nu * (std::pow(u, -2.0 / nu) - 1.0));
      return radius * std::cos(2.0 * pi * stream.uniform()) * std::sqrt((nu - 2.0) / nu);
    }
  }
  return 0.0;
}

inline arma::vec draws(std::size_t n, Source source, RandomStream& stream) {
  arma::vec values(n);
  for (double& value : values) value = draw(source, stream);
  return values;
}

/// N×D independent sources: the five distributions in turn.
inline arma::mat independent_sources(std::size_t n, std::size_t d, RandomStream& stream) {
  arma::mat sources(n, d);
  for (std::size_t j = 0; j < d; ++j) sources.col(j) = draws(n, static_cast<Source>(j % 5), stream);
  return sources;
}

/// Amari's index of P = unmixing·mixing, in [0, 1]: 0 exactly if P is a permutation times a diagonal.
inline double amari_index(const arma::mat& p) {
  const arma::mat a = arma::abs(p);
  const double d = static_cast<double>(p.n_rows);
  const double by_row = arma::accu(arma::sum(a, 1) / arma::max(a, 1) - 1.0);
  const double by_column = arma::accu(arma::sum(a, 0) / arma::max(a, 0) - 1.0);
  return (by_row + by_column) / (2.0 * d * (d - 1.0));
}

}  // namespace gaussianize::testing
