#pragma once

#include <cstddef>
#include <string_view>

#include <armadillo>

#include "gaussianize/core/random.hpp"

namespace gaussianize {

/// Rows drawn from a law, with the log density that the law itself gives each of them, in nats.
struct KnownSample {
  arma::mat x;
  arma::vec log_density;
};

/// Correlated normal columns pushed through invertible maps, so that the density is known exactly and the entropy
/// often in closed form: the yardstick against which estimates are held. No model's expected log density on new rows
/// can exceed the law's own.
enum class KnownLaw {
  gaussian,         ///< AR(1): unit variances, correlation ρ^{|i−j|}, ρ = 0.5
  gaussian_copula,  ///< the same, even columns made exponential, odd ones x = z + 0.9 sin z
  sine_chain,       ///< x₀ = ε₀, x_i = sin(2x_{i−1}) + ε_i/2; then every second column exponentiated
};

inline constexpr double ar1_correlation = 0.5;

/// `rows` × `dimension` draws. Row i depends on the seed and on i alone. Throws std::invalid_argument if dimension is
/// 0.
KnownSample draw(KnownLaw law, std::size_t rows, std::size_t dimension, Seed seed);

std::string_view name(KnownLaw law);

}  // namespace gaussianize
