#pragma once

#include <cmath>
#include <cstddef>

#include <armadillo>

/// What the measures share; not part of the library's interface.
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

/// Largest likelihood by ECME [Liu & Rubin 1994], ν in [0.5, 300], from `start`: centre and scatter by EM steps, ν by
/// Brent's method on the likelihood itself. At most max_steps of O(N·D²).
EllipticalDensity fit_student_density(const arma::mat& x, const EllipticalDensity& start, int max_steps);

/// The normal density, or Student's t where Akaike's criterion asks for it.
EllipticalDensity fit_elliptical_density(const arma::mat& x);

arma::vec log_density(const EllipticalDensity& density, const arma::mat& x);

/// Rows that are N(0, I) if the density is right.
arma::mat whiten(const EllipticalDensity& density, const arma::mat& x);

}  // namespace gaussianize::detail
