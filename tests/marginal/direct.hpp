#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "gaussianize/math/normal.hpp"

/// The kernel estimate as it is defined: one term a row, summed in extended precision. The oracle of the fast sums.
namespace gaussianize::testing {

struct DirectPoint {
  double lower = 0.0, upper = 0.0, density = 0.0;

  /// Φ⁻¹(F), from the smaller tail.
  double z() const { return lower < upper ? normal_quantile(lower) : upper_normal_quantile(upper); }
  double tail() const { return lower < upper ? lower : upper; }
};

inline DirectPoint direct_kde(const std::vector<double>& x, double h, double at) {
  long double lower = 0, upper = 0, density = 0;
  for (const double row : x) {
    const double t = (at - row) / h;
    const double e = std::exp(-std::abs(t));
    const double small = e / (1 + e);  // σ(−|t|)
    const double large = 1 / (1 + e);
    lower += t < 0 ? small : large;
    upper += t < 0 ? large : small;
    density += small * large;
  }
  const auto n = static_cast<long double>(x.size());
  return {static_cast<double>(lower / n), static_cast<double>(upper / n), static_cast<double>(density / (n * h))};
}

/// log f(x_i) of the other rows, for every i; −∞ where they give it nothing.
inline std::vector<double> direct_leave_one_out(const std::vector<double>& x, double h) {
  std::vector<double> result;
  const auto others = static_cast<long double>(x.size() - 1);
  for (std::size_t i = 0; i < x.size(); ++i) {
    long double density = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (j == i) continue;
      const double e = std::exp(-std::abs(x[i] - x[j]) / h);
      density += e / ((1 + e) * (1 + e));
    }
    result.push_back(static_cast<double>(std::log(density / (others * h))));
  }
  return result;
}

}  // namespace gaussianize::testing
