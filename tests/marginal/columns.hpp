#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

/// Columns of data of every shape that a kernel estimate has to cope with.
namespace gaussianize::testing {
using namespace detail;

using Column = std::vector<double>;

struct NamedColumn {
  std::string name;
  Column x;
};

inline Column normal_column(std::size_t n, std::uint64_t seed) {
  RandomStream stream(Seed{seed}, Purpose::test);
  Column x(n);
  fill_normal(stream, x.data(), n);
  return x;
}

/// Values of `quantile`, a function of a uniform number.
template <class Quantile>
Column drawn_column(std::size_t n, std::uint64_t seed, Quantile quantile) {
  RandomStream stream(Seed{seed}, Purpose::test);
  Column x(n);
  for (double& value : x) value = quantile(stream.uniform());
  return x;
}

inline Column exponential_column(std::size_t n, std::uint64_t seed) {
  return drawn_column(n, seed, [](double u) { return -std::log(u); });
}

inline Column uniform_column(std::size_t n, std::uint64_t seed) {
  return drawn_column(n, seed, [](double u) { return std::sqrt(12.0) * (u - 0.5); });
}

inline Column laplace_column(std::size_t n, std::uint64_t seed) {
  return drawn_column(n, seed, [](double u) { return u < 0.5 ? std::log(2 * u) : -std::log(2 * (1 - u)); });
}

inline Column cauchy_column(std::size_t n, std::uint64_t seed) {
  return drawn_column(n, seed, [](double u) { return std::tan(3.14159265358979323846 * (u - 0.5)); });
}

/// Survival (1 + ξx)^{−1/ξ}, x > 0.
inline Column pareto_column(std::size_t n, std::uint64_t seed, double shape) {
  return drawn_column(n, seed, [=](double u) { return std::expm1(-shape * std::log(u)) / shape; });
}

/// Row i of a normal column, moved by (i mod clusters)·distance.
inline Column clustered_column(std::size_t n, std::uint64_t seed, std::size_t clusters, double distance, double width) {
  Column x = normal_column(n, seed);
  for (std::size_t i = 0; i < n; ++i) x[i] = width * x[i] + static_cast<double>(i % clusters) * distance;
  return x;
}

inline Column with_first(Column x, double value) {
  x.front() = value;
  return x;
}

/// Every shape, at n ≥ 2 rows. None is constant.
inline std::vector<NamedColumn> column_shapes(std::size_t n, std::uint64_t seed) {
  Column integers = normal_column(n, seed + 1);
  for (double& value : integers) value = std::round(3 * value);
  Column ties = normal_column(n, seed + 2);
  for (std::size_t i = 0; i < n; ++i) ties[i] = ties[i % std::max<std::size_t>(2, n / 5)];
  Column zeros = exponential_column(n, seed + 3);
  for (std::size_t i = 0; i < n; i += 2) zeros[i] = 0;
  Column shifted = normal_column(n, seed + 4);
  for (double& value : shifted) value = 1e6 + value;
  const Column plain = normal_column(n, seed);
  // The end rows differ whatever was drawn.
  integers.front() = -3;
  integers.back() = 3;
  return {{"normal", plain},
          {"shifted normal", shifted},
          {"Cauchy", cauchy_column(n, seed + 5)},
          {"exponential", exponential_column(n, seed + 6)},
          {"integers", integers},
          {"ties", ties},
          {"three clusters", clustered_column(n, seed + 7, 3, 1000, 1)},
          {"half zeros", zeros},
          {"outlier above", with_first(plain, 1e10)},
          {"outlier below", with_first(plain, -1e10)}};
}

}  // namespace gaussianize::testing
