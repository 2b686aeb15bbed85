#pragma once

#include <cstddef>
#include <numbers>
#include <vector>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/simd.hpp"

namespace gaussianize::testing {
using namespace detail;

/// One dimension of a logistic mixture, for the vector loops.
struct Mixture {
  std::vector<double> mu, inverse_scale, weight;
  Link link = Link::probit;
  MixtureView view() const { return {mu.data(), inverse_scale.data(), weight.data(), mu.size(), link}; }

  /// t of a kernel as the loops round it: in units of log 2.
  long double t(double x, std::size_t kernel) const {
    const double bits_per_x = inverse_scale[kernel] * std::numbers::log2e;
    return (x - mu[kernel]) * bits_per_x * std::numbers::ln2_v<long double>;
  }
};

/// Anchors in ±3, scales within a factor of ten of each other, weights that sum to one.
inline Mixture random_mixture(std::size_t kernels, double largest_inverse_scale, Link link = Link::probit) {
  RandomStream stream(Seed{kernels}, Purpose::test);
  Mixture m{std::vector<double>(kernels), std::vector<double>(kernels), std::vector<double>(kernels), link};
  double total = 0.0;
  for (std::size_t j = 0; j < kernels; ++j) {
    m.mu[j] = 6.0 * stream.uniform() - 3.0;
    m.inverse_scale[j] = largest_inverse_scale * (0.1 + 0.9 * stream.uniform());
    total += m.weight[j] = 0.1 + stream.uniform();
  }
  for (double& w : m.weight) w /= total;
  return m;
}

}  // namespace gaussianize::testing
