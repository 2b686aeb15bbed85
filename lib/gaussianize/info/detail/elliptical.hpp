#pragma once

#include <cmath>
#include <cstddef>

#include <armadillo>

#include "gaussianize/info/detail/scores.hpp"

/// Elliptical models of the measures: normal and Student-t densities, Gaussian and Student-t copulas.
namespace gaussianize::detail {

/// A multivariate Student-t density, or the normal one for ν = ∞.
struct EllipticalDensity {
  double degrees = HUGE_VAL;  ///< ν
  arma::rowvec centre;        ///< 1×D
  arma::mat root;             ///< D×D: (x − centre)·root is spherical
  double log_det = 0.0;       ///< log |det root|
};

/// Mean and covariance of standardised rows.
EllipticalDensity fit_normal_density(const arma::mat& x);

/// Maximum likelihood by ECME [Liu & Rubin 1994], ν in [0.5, 300], from `start`: centre and scatter by EM steps, ν by
/// Brent's method on the likelihood itself. At most max_steps of O(N·D²).
EllipticalDensity fit_student_density(const arma::mat& x, const EllipticalDensity& start, int max_steps);

/// The normal density, or Student's t where Akaike's criterion prefers it.
EllipticalDensity fit_elliptical_density(const arma::mat& x);

arma::vec log_density(const EllipticalDensity& density, const arma::mat& x);

/// Rows that are N(0, I) if the density is right.
arma::mat whiten(const EllipticalDensity& density, const arma::mat& x);

/// An elliptical copula: Student's t with ν degrees of freedom, or the Gaussian one for ν = ∞. For scores y = T_ν⁻¹(u),
///
///   log c(u) = log t_{ν,R}(y) − Σ_d log t_ν(y_d).                                                  (C1)
struct EllipticalCopula {
  double degrees = HUGE_VAL;  ///< ν
  arma::mat correlation;      ///< R
};

/// The Gaussian copula of maximum likelihood (but for O(1/N)): R is the normal scores' correlation. Where columns
/// determine each other, the smallest eigenvalues of R are raised to 1e-12. With N ≤ D + 1 rows R is singular whatever
/// the distribution: it is shrunk to I by the share of Σ r² that independent columns would show.
EllipticalCopula fit_gaussian_copula(const Scores& scores, int threads);

/// The t copula: for each ν, R by the EM steps of the scatter matrix with the diagonal put back to 1; ν in [1, 300] by
/// Brent's method. O(N·D²) for each of about a hundred steps.
EllipticalCopula fit_student_copula(const Scores& scores, const EllipticalCopula& start, int threads);

/// (C1) of every row.
arma::vec log_copula(const EllipticalCopula& copula, const Scores& scores, int threads);

/// Rows that are N(0, I) if the copula is right: whitened, and for finite ν with each row's length Gaussianized.
arma::mat whiten(const EllipticalCopula& copula, const Scores& scores, int threads);

/// By how much a fit to n rows raises the mean of (C1) over those rows above its true value: for Gaussian data
/// ½ Σ_{i<D} [ψ((n−1)/2) − ψ((n−1−i)/2)], from the distribution of the Wishart determinant; 1/2n more for ν.
double optimism(const EllipticalCopula& copula, std::size_t rows);

/// The variance of −½ log det R of independent normal columns: ¼ Σ_{0<i<D} [ψ′((n−1−i)/2) − ψ′((n−1)/2)]. The rows'
/// terms do not show it, as each of them is 0 to first order there. NaN for n ≤ D + 1.
double fitting_variance(std::size_t columns, std::size_t rows);

/// Stretches each row of y, spherical t with ν degrees of freedom, so that it becomes N(0, I): |y|²/D ~ F(D, ν) is
/// mapped to the χ²_D quantile of the same probability. Rows at the origin stay. Right to 1e-5 of the length. O(N).
void gaussianize_lengths(arma::mat& y, double degrees);

}  // namespace gaussianize::detail
