#pragma once

#include <cstdint>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

/// Numbers to test with, equal for equal seeds and blocks.
namespace gaussianize::testing {
using namespace detail;

/// Rows of independent standard normal columns.
inline arma::mat normals(std::size_t rows, std::size_t columns, std::uint64_t seed, std::uint64_t block = 0) {
  RandomStream stream(Seed{seed}, Purpose::test, block);
  return random_normal(rows, columns, stream);
}

inline std::vector<double> uniforms(std::size_t count, double low, double high, std::uint64_t seed,
                                    std::uint64_t block = 0) {
  RandomStream stream(Seed{seed}, Purpose::test, block);
  std::vector<double> x(count);
  for (double& v : x) v = low + (high - low) * stream.uniform();
  return x;
}

}  // namespace gaussianize::testing
