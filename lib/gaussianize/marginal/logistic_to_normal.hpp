#pragma once

#include <cstddef>

#include <armadillo>

#pragma GCC visibility push(default)
namespace gaussianize {

/// The fixed map that ends a flow of logit layers: it takes the logistic distribution of unit variance to the normal
/// one. With c = √3/π and σ(t) = 1/(1 + e^{−t}), for u ≥ 0 (it is odd),
///
///   z(u) = Φ⁻¹(σ(u/c))                                   where z ≤ z* = 8, u ≤ u* = 19.3…,                   (B1)
///   z(u) = z* + a v + (1 − a)(√(v² + w²) − w),           v = u − u*, w = 100, a = z′(u*), beyond.            (B2)
///
/// Increasing and C¹. Φ⁻¹ alone would go on like √u, and its inverse like z²; (B2) is straight far out, with slope 1.
/// The joint lies beyond every draw: what is left of z² before it is a factor of 1.6 for the farthest of a million. A
/// nearer one would make outliers among new rows less likely than they are.
struct LogisticToNormal {
  std::size_t dimension = 0;
};

/// Throws std::invalid_argument unless the dimension is positive.
void check(const LogisticToNormal& map);

/// Maps the entries of u in place and adds each row's Σ log dz/du to log_det.
void forward(const LogisticToNormal& map, arma::mat& u, arma::vec& log_det);

/// The inverse of forward, in place.
void inverse(const LogisticToNormal& map, arma::mat& z);

/// Σ (½z² − log dz/du) over the entries of u, and its derivative in each: what a training loss ends with.
double logistic_base_loss(const arma::mat& u, arma::mat& u_bar);

}  // namespace gaussianize
#pragma GCC visibility pop
