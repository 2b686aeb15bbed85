#pragma once

#include <cstddef>

#include <armadillo>

namespace gaussianize::detail {

/// The density of b given a for two columns with N(0, 1) margins: a mixture of the correlated normal density and of
/// Gaussian kernel estimates with several bandwidths on one grid, b normalised for every a. Where the density is
/// smooth the wide kernels win, at edges the narrow ones.
class PairDensity {
 public:
  /// O(N) and O(cells). The weights come from an expectation-maximisation on one half of the rows of what kernels on
  /// the other half give; the kernels then stand on all rows. Requires equal sizes, at least 20 rows.
  PairDensity(const arma::vec& a, const arma::vec& b);

  /// log q(b|a) − log φ(b) of every row, and rest = Φ⁻¹(F(b|a)): independent of a and N(0, 1) if q is right. F is the
  /// integral of q, so (a, b) ↦ (a, rest) is a bijection whose log determinant is the log ratio plus log φ(b) −
  /// log φ(rest).
  void evaluate(const arma::vec& a, const arma::vec& b, arma::vec& log_ratio, arma::vec& rest) const;

 private:
  double half_width_ = 0.0, step_ = 0.0;
  arma::mat density_;     ///< row j: q at the nodes of b, column i: given a at node i
  arma::mat cumulative_;  ///< its integral up to each node of b
};

}  // namespace gaussianize::detail
