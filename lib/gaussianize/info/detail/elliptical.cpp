#include "gaussianize/info/detail/elliptical.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/interpolators/cubic_hermite.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <boost/math/tools/minima.hpp>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rotation/detail/covariance.hpp"

namespace gaussianize::detail {
namespace {

constexpr double min_density_degrees = 0.5, min_copula_degrees = 1.0, max_degrees = 300.0;
/// Of standardised rows: collinear columns and N ≤ D leave directions without spread.
constexpr double min_variance = 1e-12;
constexpr std::size_t block = 1024;

/// log density at 0 of the standard D-dimensional distribution. Not by std::lgamma, which writes to a global.
double log_constant(double degrees, double dimension) {
  if (std::isinf(degrees)) return dimension * log_normal_pdf(0.0);
  return boost::math::lgamma((degrees + dimension) / 2) - boost::math::lgamma(degrees / 2) -
         dimension / 2 * std::log(degrees * std::numbers::pi);
}

/// By how much log density falls from the centre to a squared length.
double decay(double square, double degrees, double dimension) {
  return std::isinf(degrees) ? 0.5 * square : (degrees + dimension) / 2 * std::log1p(square / degrees);
}

/// A symmetric matrix U with S⁻¹ = U·Uᵀ, and ½ log det S.
struct InverseRoot {
  arma::mat u;
  double half_log_det = 0.0;
};

InverseRoot inverse_root(const arma::mat& scatter) {
  arma::vec values;
  arma::mat vectors;
  if (!scatter.is_finite() || !arma::eig_sym(values, vectors, scatter))
    throw NumericalError("elliptical model: the eigendecomposition of the scatter matrix failed");
  values = arma::clamp(values, min_variance, HUGE_VAL);
  return {vectors * arma::diagmat(1 / arma::sqrt(values)) * vectors.t(), 0.5 * arma::accu(arma::log(values))};
}

void set_scatter(EllipticalDensity& density, const arma::mat& scatter) {
  InverseRoot r = inverse_root(scatter);
  density.root = std::move(r.u);
  density.log_det = -r.half_log_det;
}

arma::vec squared_lengths(const EllipticalDensity& density, const arma::mat& x) {
  return arma::sum(arma::square((x.each_row() - density.centre) * density.root), 1);
}

/// The degrees of freedom of maximum likelihood for given squared lengths.
double best_degrees(const arma::vec& square, double dimension) {
  const auto loss = [&](double log_degrees) {
    const double degrees = std::exp(log_degrees);
    return (degrees + dimension) / 2 * arma::mean(arma::log1p(square / degrees)) - log_constant(degrees, dimension);
  };
  std::uintmax_t evaluations = 25;
  return std::exp(
      boost::math::tools::brent_find_minima(loss, std::log(min_density_degrees), std::log(max_degrees), 14, evaluations)
          .first);
}

/// T_ν⁻¹(Φ(z)) at each of the given scores: asinh of it is a smooth function of z, tabulated with its slope at steps of
/// 1/16, so cubic interpolation is right to 1e-7.
arma::vec student_quantiles(const arma::vec& z, double degrees) {
  constexpr double steps = 16.0;
  const boost::math::students_t student(degrees);
  const auto knots = static_cast<std::size_t>(std::ceil(arma::abs(z).max() * steps)) + 2;
  std::vector<double> value(knots), slope(knots);
  for (std::size_t j = 0; j < knots; ++j) {
    const double at = static_cast<double>(j) / steps;
    const double x = j == 0 ? 0.0 : boost::math::quantile(boost::math::complement(student, normal_cdf(-at)));
    value[j] = std::asinh(x);
    slope[j] = normal_pdf(at) / (boost::math::pdf(student, x) * std::sqrt(1 + x * x));
  }
  const boost::math::interpolators::cardinal_cubic_hermite curve(std::move(value), std::move(slope), 0.0, 1 / steps);
  arma::vec result(z.n_elem);
  for (arma::uword i = 0; i < z.n_elem; ++i) result[i] = std::copysign(std::sinh(curve(std::abs(z[i]))), z[i]);
  return result;
}

/// Scores on the t scale, and Σ_d log t_ν(y_d) of every row.
struct StudentScores {
  arma::mat y;
  arma::vec log_margins;
};

StudentScores student_scores(const Scores& scores, double degrees, int threads) {
  const arma::vec quantile = student_quantiles(scores.quantile, degrees);
  const arma::vec log_margin =
      log_constant(degrees, 1) - (degrees + 1) / 2 * arma::log1p(arma::square(quantile) / degrees);
  StudentScores result{arma::mat(arma::size(scores.z)), arma::vec(scores.rows(), arma::fill::zeros)};
  parallel_for(block_count(scores.rows(), block), threads, [&](std::size_t b) {
    const RowRange range = block_range(b, scores.rows(), block);
    for (std::size_t d = 0; d < scores.columns(); ++d)
      for (std::size_t i = range.begin; i < range.end; ++i) {
        const arma::uword level = scores.level(i, d);
        result.y(i, d) = quantile[level];
        result.log_margins[i] += log_margin[level];
      }
  });
  return result;
}

/// One EM step: Σ w y yᵀ, and the log likelihood of the R it starts from.
struct EmSums {
  arma::mat scatter;
  double log_likelihood = 0.0;
};

EmSums em_step(const StudentScores& scores, const arma::mat& correlation, double degrees, int threads) {
  const auto dimension = static_cast<double>(correlation.n_cols);
  const InverseRoot r = inverse_root(correlation);
  const double constant = log_constant(degrees, dimension) - r.half_log_det;
  return reduce_rows<EmSums>(
      scores.y.n_rows, threads,
      [&](RowRange range) {
        arma::mat y = scores.y.rows(range.begin, range.end - 1);
        const arma::vec distance = arma::sum(arma::square(y * r.u), 1);
        EmSums sums;
        for (arma::uword i = 0; i < distance.n_elem; ++i)
          sums.log_likelihood += constant - (degrees + dimension) / 2 * std::log1p(distance[i] / degrees) -
                                 scores.log_margins[range.begin + i];
        const arma::vec weight = arma::sqrt((degrees + dimension) / (degrees + distance));
        y.each_col() %= weight;
        sums.scatter = y.t() * y;
        return sums;
      },
      [](EmSums& a, const EmSums& b) {
        a.scatter += b.scatter;
        a.log_likelihood += b.log_likelihood;
      },
      block);
}

arma::mat unit_diagonal(const arma::mat& scatter) {
  const arma::vec scale = 1 / arma::sqrt(arma::diagvec(scatter));
  return scatter % (scale * scale.t());
}

/// log of the χ²_D value that has the probability of a squared length m, from the smaller tail.
double log_normal_square(double squared_length, double dimension, double degrees) {
  namespace bm = boost::math;
  const bm::fisher_f student(dimension, degrees);
  const bm::chi_squared normal(dimension);
  const double lower = bm::cdf(student, squared_length / dimension);
  if (lower < 0.5) return std::log(bm::quantile(normal, std::max(lower, 1e-300)));
  const double upper = bm::cdf(bm::complement(student, squared_length / dimension));
  return std::log(bm::quantile(bm::complement(normal, std::max(upper, 1e-300))));
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
  arma::vec square = squared_lengths(density, x);
  return square.transform([&](double s) { return constant - decay(s, density.degrees, dimension); });
}

arma::mat whiten(const EllipticalDensity& density, const arma::mat& x) {
  const BlasGuard blas;
  arma::mat z = (x.each_row() - density.centre) * density.root;
  if (std::isfinite(density.degrees)) gaussianize_lengths(z, density.degrees);
  return z;
}

EllipticalCopula fit_gaussian_copula(const Scores& scores, int threads) {
  EllipticalCopula copula{HUGE_VAL, covariance(scores.z, threads).correlation};
  const auto n = static_cast<double>(scores.rows()), d = static_cast<double>(scores.columns());
  if (scores.columns() < 2 || n > d + 1) return copula;
  const double squares = arma::accu(arma::square(copula.correlation)) - d;
  const double kept = squares > 0 ? std::max(0.0, 1 - d * (d - 1) / ((n - 1) * squares)) : 0.0;
  copula.correlation *= kept;
  copula.correlation.diag().ones();
  return copula;
}

EllipticalCopula fit_student_copula(const Scores& scores, const EllipticalCopula& start, int threads) {
  constexpr int steps_per_degrees = 4, final_steps = 30;
  constexpr double tolerance = 1e-6;
  arma::mat correlation = start.correlation;
  const auto profile = [&](double log_degrees) {
    const double degrees = std::exp(log_degrees);
    const StudentScores t = student_scores(scores, degrees, threads);
    double log_likelihood = 0;
    for (int step = 0; step < steps_per_degrees; ++step) {
      const EmSums sums = em_step(t, correlation, degrees, threads);
      log_likelihood = sums.log_likelihood;
      if (step + 1 < steps_per_degrees) correlation = unit_diagonal(sums.scatter);
    }
    return -log_likelihood;
  };
  std::uintmax_t evaluations = 20;
  const auto [log_degrees, minimum] = boost::math::tools::brent_find_minima(profile, std::log(min_copula_degrees),
                                                                            std::log(max_degrees), 10, evaluations);
  EllipticalCopula copula{std::exp(log_degrees), correlation};
  const StudentScores t = student_scores(scores, copula.degrees, threads);
  for (int step = 0; step < final_steps; ++step) {
    const arma::mat next = unit_diagonal(em_step(t, copula.correlation, copula.degrees, threads).scatter);
    const double change = arma::abs(next - copula.correlation).max();
    copula.correlation = next;
    if (change < tolerance) break;
  }
  return copula;
}

arma::vec log_copula(const EllipticalCopula& copula, const Scores& scores, int threads) {
  const InverseRoot r = inverse_root(copula.correlation);
  const bool gaussian = std::isinf(copula.degrees);
  const StudentScores t =
      gaussian ? StudentScores{scores.z, log_normal_rows(scores.z)} : student_scores(scores, copula.degrees, threads);
  const auto dimension = static_cast<double>(scores.columns());
  const double constant = log_constant(copula.degrees, dimension) - r.half_log_det;
  arma::vec log_ratio(scores.rows());
  parallel_for(block_count(scores.rows(), block), threads, [&](std::size_t b) {
    const RowRange range = block_range(b, scores.rows(), block);
    const arma::vec distance = arma::sum(arma::square(t.y.rows(range.begin, range.end - 1) * r.u), 1);
    for (std::size_t i = range.begin; i < range.end; ++i)
      log_ratio[i] = constant - decay(distance[i - range.begin], copula.degrees, dimension) - t.log_margins[i];
  });
  return log_ratio;
}

arma::mat whiten(const EllipticalCopula& copula, const Scores& scores, int threads) {
  const arma::mat inverse = inverse_root(copula.correlation).u;
  const BlasGuard blas;
  if (std::isinf(copula.degrees)) return scores.z * inverse;
  arma::mat y = student_scores(scores, copula.degrees, threads).y * inverse;
  gaussianize_lengths(y, copula.degrees);
  return y;
}

double optimism(const EllipticalCopula& copula, std::size_t rows) {
  const auto n = static_cast<double>(rows);
  if (rows <= copula.correlation.n_cols + 1) return 0.0;  // shrunk
  double sum = std::isinf(copula.degrees) ? 0.0 : 1 / n;
  for (arma::uword i = 1; i < copula.correlation.n_cols && static_cast<double>(i) < n - 1; ++i)
    sum += boost::math::digamma((n - 1) / 2) - boost::math::digamma((n - 1 - static_cast<double>(i)) / 2);
  return sum / 2;
}

double fitting_variance(std::size_t columns, std::size_t rows) {
  if (columns < 2) return 0.0;
  if (rows <= columns + 1) return std::numeric_limits<double>::quiet_NaN();
  const auto n = static_cast<double>(rows);
  double sum = 0;
  for (std::size_t i = 1; i < columns; ++i)
    sum += boost::math::trigamma((n - 1 - static_cast<double>(i)) / 2) - boost::math::trigamma((n - 1) / 2);
  return sum / 4;
}

void gaussianize_lengths(arma::mat& y, double degrees) {
  // log length is a smooth, nearly linear function of log length: a natural grid, filled by four-point interpolation.
  constexpr double step = 0.1;
  const auto dimension = static_cast<double>(y.n_cols);
  const arma::vec square = arma::sum(arma::square(y), 1);
  const double largest = square.max();
  if (!(largest > 0)) return;
  double smallest = largest;
  for (const double s : square)
    if (s > 0) smallest = std::min(smallest, s);
  const double first = std::log(smallest) - 1.5 * step;
  const auto knots = static_cast<std::size_t>((std::log(largest) - first) / step) + 4;
  arma::vec value(knots);
  for (std::size_t j = 0; j < knots; ++j)
    value[j] = log_normal_square(std::exp(first + step * static_cast<double>(j)), dimension, degrees);
  for (arma::uword i = 0; i < y.n_rows; ++i) {
    if (!(square[i] > 0)) continue;
    const double at = (std::log(square[i]) - first) / step;
    const auto j = std::clamp<std::size_t>(static_cast<std::size_t>(at), 1, knots - 3);
    const double t = at - static_cast<double>(j);
    const double log_square = -t * (t - 1) * (t - 2) / 6 * value[j - 1] + (t + 1) * (t - 1) * (t - 2) / 2 * value[j] -
                              (t + 1) * t * (t - 2) / 2 * value[j + 1] + (t + 1) * t * (t - 1) / 6 * value[j + 2];
    y.row(i) *= std::exp(0.5 * (log_square - std::log(square[i])));
  }
}

}  // namespace gaussianize::detail
