#pragma once

#include <cstddef>
#include <string_view>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Rows drawn from a distribution, with the true log density of each, in nats.
struct KnownSample {
  arma::mat x;
  arma::vec log_density;
};

/// Distributions of any dimension whose density is known exactly, and whose entropy often in closed form, to compare
/// estimates with. No model's expected log density on new rows can exceed the distribution's own.
enum class KnownDistribution {
  gaussian,          ///< AR(1): unit variances, correlation ρ^{|i−j|}, ρ = 0.5
  gaussian_copula,   ///< the same, even columns made exponential, odd ones x = z + 0.9 sin z
  sine_chain,        ///< x₀ = ε₀, x_i = sin(2x_{i−1}) + ε_i/2; then every second column exponentiated
  student_t,         ///< multivariate Student-t, ν = 5, scale matrix I: uncorrelated, yet dependent
  student_t_ar1,     ///< the same with the AR(1) correlations as its scale matrix
  rotated_uniform,   ///< independent uniforms on (−√3, √3) rotated by the DCT-II matrix
  laplace_mix,       ///< independent Laplace columns of unit variance rotated by the DCT-II matrix
  gaussian_mixture,  ///< N(1, I) and N(−1, I), a half each
};

inline constexpr double ar1_correlation = 0.5;
inline constexpr int student_t_freedom = 5;

/// `rows` × `dimension` draws. Row i depends on the seed and on i alone. Throws std::invalid_argument if dimension is
/// 0.
KnownSample draw(KnownDistribution kind, std::size_t rows, std::size_t dimension, Seed seed);

/// The orthogonal DCT-II matrix: row k is √(2/D) cos(πk(2n + 1)/2D), n = 0 … D − 1, and 1/√D for k = 0.
arma::mat dct_matrix(std::size_t dimension);

std::string_view name(KnownDistribution kind);

}  // namespace gaussianize
#pragma GCC visibility pop
