#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#pragma GCC visibility push(default)
namespace gaussianize {

/// A test of the hypothesis that rows are N(0, I), fully specified: nothing is fitted. Under it the p-value is uniform.
struct NormalityTest {
  double statistic = 0.0;
  double p_value = 1.0;
};

/// What is left of z's difference from N(0, I).
struct NormalityReport {
  std::vector<NormalityTest> columns;     ///< each against N(0, 1), by Anderson and Darling's A²
  std::vector<double> adjusted_p_values;  ///< the columns', adjusted for their number by Holm's procedure
  NormalityTest norms;                    ///< ‖z‖² against χ² with D degrees of freedom, by A²
  NormalityTest correlations;             ///< Σ_{d<e} r², r the cosine of two columns, against independence
  NormalityTest magnitude_correlations;  ///< the same of Φ⁻¹(2Φ(|z|) − 1): dependence that correlations do not show
  /// Of all the tests together: the smallest of the columns' adjusted and the joint tests' p-values, times the number
  /// of these four (Bonferroni). At most 1.
  double p_value = 1.0;
};

/// Tests N rows of D columns. With D = 1 there is nothing to correlate: those two have p = 1 and are not counted.
/// p-values of A² are those of its limit distribution, which it follows within 0.01 from N = 10 on; those of the sums
/// of r² come from the Beta distribution that has the mean r²'s exact mean and variance, N < D included. O(N·D·(D + log
/// N)). Throws std::invalid_argument for fewer than 2 rows, no column, or values that are not finite.
NormalityReport test_normality(const arma::mat& z, int threads = 0);

/// A² = −N − Σ_i (2i − 1)/N·(log u_(i) + log(1 − u_(N+1−i))), from the logarithms of both tails of each value, in any
/// order. Infinite if one of them is.
double anderson_darling(std::vector<double> log_lower, std::vector<double> log_upper);

/// P(A² > a) in the limit of many rows, relative error below 1e-12 for every a > 0.05, however small the probability; 1
/// to 1e-10 below. Smirnov's integrals over the intervals between the poles of the Fredholm determinant
/// −cos(½π√(1 + 4y))/(πy) [Anderson & Darling 1952].
double anderson_darling_p_value(double a);

/// Holm's adjustment: what level each hypothesis would be rejected at when all are tested. In the order given.
std::vector<double> holm_adjusted(const std::vector<double>& p_values);

}  // namespace gaussianize
#pragma GCC visibility pop
