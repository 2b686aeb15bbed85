#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <armadillo>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/info/detail/scores.hpp"

#include "support/draws.hpp"

/// Samples that are dependent in ways a test of independence should see, or dependent through other columns alone.
namespace gaussianize::testing {

/// Normal columns of which the product of the first k is positive: any fewer of them are independent.
inline arma::mat positive_product(std::size_t rows, std::size_t columns, std::size_t k, std::uint64_t seed) {
  arma::mat x = normals(rows, columns, seed);
  for (arma::uword i = 0; i < rows; ++i)
    if (arma::prod(x.row(i).head(k)) < 0) x(i, 0) = -x(i, 0);
  return x;
}

inline arma::mat correlated(std::size_t rows, std::size_t columns, double rho, std::uint64_t seed) {
  arma::mat x = normals(rows, columns, seed);
  x.col(1) = rho * x.col(0) + std::sqrt(1 - rho * rho) * x.col(1);
  return x;
}

/// The second column's scale depends on the first.
inline arma::mat scaled(std::size_t rows, std::size_t columns, double slope, std::uint64_t seed) {
  arma::mat x = normals(rows, columns, seed);
  x.col(1) %= arma::exp(slope * x.col(0));
  return x;
}

/// Student-t columns, dependent through their common scale alone.
inline arma::mat common_scale(std::size_t rows, std::size_t columns, std::size_t degrees, std::uint64_t seed) {
  arma::mat x = normals(rows, columns, seed);
  const arma::vec scale = arma::sqrt(arma::mean(arma::square(normals(rows, degrees, seed, 1)), 1));
  x.each_col() /= scale;
  return x;
}

/// The second column is a sine of the first, of two periods, and noise as large.
inline arma::mat sine(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  arma::mat x = normals(rows, columns, seed);
  const std::vector<double> u = uniforms(rows, -1, 1, seed, 1);
  for (arma::uword i = 0; i < rows; ++i) {
    x(i, 0) = u[i];
    x(i, 1) += std::sin(2 * arma::datum::pi * u[i]);
  }
  return x;
}

enum class Driven { linear, square, wave, scale, mixed };

/// Columns x, y and k more, z: x and y depend on z, and on each other through z alone.
inline arma::mat driven(Driven how, std::size_t rows, std::size_t k, std::uint64_t seed) {
  const arma::mat z = normals(rows, k, seed, 1), e = normals(rows, 2, seed, 2);
  const double root = std::sqrt(static_cast<double>(k));
  const arma::vec linear = arma::sum(z, 1) / root, square = arma::sum(arma::square(z), 1) / root,
                  wave = arma::sum(arma::sin(3 * z), 1) / root, scale = arma::mean(arma::abs(z), 1);
  arma::mat x = e;
  if (how == Driven::linear) x.each_col() += linear;
  if (how == Driven::square) x = 0.5 * e + arma::repmat(square, 1, 2);
  if (how == Driven::wave) x = 0.5 * e + arma::repmat(wave, 1, 2);
  if (how == Driven::scale) x.each_col() %= scale;
  if (how == Driven::mixed) {
    x.col(0) = square + scale % e.col(0);
    x.col(1) += linear + wave;
  }
  return arma::join_rows(x, z);
}

/// Normal scores as the tests of independence take them.
inline arma::mat scores_of(const arma::mat& x) {
  return normal_scores(x, {}, "test").z;
}

/// Values of `sample(seed)` for so many seeds.
template <class Sample>
std::vector<double> for_seeds(std::size_t count, Sample sample) {
  std::vector<double> values(count);
  parallel_for(count, 0, [&](std::size_t s) { values[s] = sample(7000 + s); });
  return values;
}

inline std::size_t count_at_most(const std::vector<double>& values, double limit) {
  return static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [&](double v) { return v <= limit; }));
}

}  // namespace gaussianize::testing
