#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>

namespace gaussianize::detail {

/// log Γ(n/2), n ≥ 1, by the recurrence Γ(x + 1) = xΓ(x) from Γ(½) = √π or Γ(1) = 1. std::lgamma writes to a global.
inline double log_gamma_of_half(std::size_t n) {
  double sum = n % 2 == 1 ? std::log(std::numbers::pi) / 2 : 0.0;
  for (std::size_t k = n % 2 == 1 ? 1 : 2; k < n; k += 2) sum += std::log(static_cast<double>(k) / 2);
  return sum;
}

/// ψ(n/2), n ≥ 1: ψ(x + 1) = ψ(x) + 1/x from ψ(1) = −γ or ψ(½) = −γ − 2 log 2.
inline double digamma_of_half(std::size_t n) {
  double sum = -std::numbers::egamma - (n % 2 == 1 ? 2 * std::numbers::ln2 : 0.0);
  for (std::size_t k = n % 2 == 1 ? 1 : 2; k < n; k += 2) sum += 2 / static_cast<double>(k);
  return sum;
}

}  // namespace gaussianize::detail
