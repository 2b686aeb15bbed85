#include "gaussianize/info/detail/elliptical_density.hpp"

#include <cstdint>

#include <boost/math/tools/minima.hpp>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/radial.hpp"
#include "gaussianize/info/detail/student_constant.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

constexpr double min_degrees = 0.5, max_degrees = 300.0;
/// Of standardised rows: collinear columns and N ≤ D leave directions without spread.
constexpr double min_variance = 1e-12;

void set_scatter(EllipticalDensity& density, const arma::mat& scatter) {
  arma::vec values;
  arma::mat vectors;
  if (!scatter.is_finite() || !arma::eig_sym(values, vectors, scatter))
    throw NumericalError("divergence: the eigendecomposition of a sample's scatter failed");
  values = arma::clamp(values, min_variance, HUGE_VAL);
  density.root = vectors * arma::diagmat(1 / arma::sqrt(values)) * vectors.t();
  density.log_det = -0.5 * arma::accu(arma::log(values));
}

arma::vec squared_lengths(const EllipticalDensity& density, const arma::mat& x) {
  return arma::sum(arma::square((x.each_row() - density.centre) * density.root), 1);
}

double log_constant(double degrees, double dimension) {
  if (std::isinf(degrees)) return dimension * log_normal_pdf(0.0);
  return detail::log_student_constant(degrees, dimension);
}

/// The degrees of freedom of largest likelihood for given squared lengths.
double best_degrees(const arma::vec& square, double dimension) {
  const auto loss = [&](double log_degrees) {
    const double degrees = std::exp(log_degrees);
    return (degrees + dimension) / 2 * arma::mean(arma::log1p(square / degrees)) - log_constant(degrees, dimension);
  };
  std::uintmax_t evaluations = 25;
  return std::exp(
      boost::math::tools::brent_find_minima(loss, std::log(min_degrees), std::log(max_degrees), 14, evaluations).first);
}

}  // namespace

EllipticalDensity fit_normal_density(const arma::mat& x) {
  EllipticalDensity density;
  density.centre = arma::mean(x, 0);
  const BlasGuard blas;
  const arma::mat centred = x.each_row() - density.centre;
  set_scatter(density, centred.t() * centred / static_cast<double>(x.n_rows));
  return density;
}

EllipticalDensity fit_student_density(const arma::mat& x, const EllipticalDensity& start, int max_steps) {
  constexpr double tolerance = 1e-7;  // nats a row
  const auto n = static_cast<double>(x.n_rows), dimension = static_cast<double>(x.n_cols);
  const BlasGuard blas;
  EllipticalDensity density = start;
  double last = -HUGE_VAL;
  for (int step = 0; step < max_steps; ++step) {
    const arma::vec square = squared_lengths(density, x);
    density.degrees = best_degrees(square, dimension);
    const double value = log_constant(density.degrees, dimension) + density.log_det -
                         (density.degrees + dimension) / 2 * arma::mean(arma::log1p(square / density.degrees));
    if (value - last < tolerance) break;
    last = value;
    const arma::vec weight = (density.degrees + dimension) / (density.degrees + square);
    density.centre = weight.t() * x / arma::accu(weight);
    arma::mat centred = x.each_row() - density.centre;
    centred.each_col() %= arma::sqrt(weight);
    // Dividing by the weights' sum instead of N does not move the limit, and gets there sooner [Kent et al. 1994].
    set_scatter(density, centred.t() * centred / (step == 0 ? n : arma::accu(weight)));
  }
  return density;
}

EllipticalDensity fit_elliptical_density(const arma::mat& x) {
  constexpr int steps = 60;
  const EllipticalDensity normal = fit_normal_density(x);
  if (x.n_rows <= x.n_cols + 2) return normal;
  const EllipticalDensity student = fit_student_density(x, normal, steps);
  const double gain = arma::accu(log_density(student, x) - log_density(normal, x));
  return gain > 1.0 ? student : normal;
}

arma::vec log_density(const EllipticalDensity& density, const arma::mat& x) {
  const BlasGuard blas;
  const auto dimension = static_cast<double>(x.n_cols);
  const double constant = log_constant(density.degrees, dimension) + density.log_det;
  const arma::vec square = squared_lengths(density, x);
  if (std::isinf(density.degrees)) return constant - 0.5 * square;
  return constant - (density.degrees + dimension) / 2 * arma::log1p(square / density.degrees);
}

arma::mat whiten(const EllipticalDensity& density, const arma::mat& x) {
  const BlasGuard blas;
  arma::mat z = (x.each_row() - density.centre) * density.root;
  if (std::isfinite(density.degrees)) gaussianize_lengths(z, density.degrees);
  return z;
}

}  // namespace gaussianize::detail
