#include "gaussianize/info/detail/student_copula.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <boost/math/tools/minima.hpp>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/detail/radial.hpp"
#include "gaussianize/info/detail/student_constant.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rotation/detail/covariance.hpp"

namespace gaussianize::detail {
namespace {

constexpr double min_degrees = 1.0, max_degrees = 300.0;
constexpr double eigenvalue_floor = 1e-12;
constexpr std::size_t block = 1024;

/// T_ν⁻¹(Φ(z)) at each of the given scores: asinh of it is a smooth function of z, tabulated with its slope at steps of
/// 1/16, so cubic interpolation is right to 1e-7.
arma::vec student_quantiles(const arma::vec& z, double degrees) {
  constexpr double steps = 16.0;
  const boost::math::students_t law(degrees);
  const auto knots = static_cast<std::size_t>(std::ceil(arma::abs(z).max() * steps)) + 2;
  arma::vec value(knots), slope(knots);
  for (std::size_t j = 0; j < knots; ++j) {
    const double at = static_cast<double>(j) / steps;
    const double x = j == 0 ? 0.0 : boost::math::quantile(boost::math::complement(law, normal_cdf(-at)));
    value[j] = std::asinh(x);
    slope[j] = normal_pdf(at) / (boost::math::pdf(law, x) * std::sqrt(1 + x * x)) / steps;
  }
  arma::vec result(z.n_elem);
  for (arma::uword i = 0; i < z.n_elem; ++i) {
    const double scaled = std::abs(z[i]) * steps;
    const auto j = static_cast<std::size_t>(scaled);
    const double t = scaled - static_cast<double>(j), s = 1 - t;
    const double y =
        s * s * ((1 + 2 * t) * value[j] + t * slope[j]) + t * t * ((1 + 2 * s) * value[j + 1] - s * slope[j + 1]);
    result[i] = std::copysign(std::sinh(y), z[i]);
  }
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
      log_student_constant(degrees, 1) - (degrees + 1) / 2 * arma::log1p(arma::square(quantile) / degrees);
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

/// A matrix U with R⁻¹ = U·Uᵀ, and ½ log det R.
struct Root {
  arma::mat inverse;
  double half_log_det = 0.0;
};

Root root(const arma::mat& correlation) {
  arma::vec values;
  arma::mat vectors;
  if (!arma::eig_sym(values, vectors, correlation))
    throw NumericalError("total correlation: the eigendecomposition of the scores' correlation failed");
  values = arma::clamp(values, eigenvalue_floor, HUGE_VAL);
  return {vectors * arma::diagmat(1 / arma::sqrt(values)) * vectors.t(), 0.5 * arma::accu(arma::log(values))};
}

/// One EM step: Σ w y yᵀ, and the log likelihood of the R it starts from.
struct EmSums {
  arma::mat scatter;
  double log_likelihood = 0.0;
};

EmSums em_step(const StudentScores& scores, const arma::mat& correlation, double degrees, int threads) {
  const auto dimension = static_cast<double>(correlation.n_cols);
  const Root r = root(correlation);
  const double constant = log_student_constant(degrees, dimension) - r.half_log_det;
  return reduce_rows<EmSums>(
      scores.y.n_rows, threads,
      [&](RowRange range) {
        arma::mat y = scores.y.rows(range.begin, range.end - 1);
        const arma::vec distance = arma::sum(arma::square(y * r.inverse), 1);
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

}  // namespace

EllipticalCopula fit_gaussian_copula(const Scores& scores, int threads) {
  EllipticalCopula copula{HUGE_VAL, covariance(scores.z, threads).correlation};
  const auto n = static_cast<double>(scores.rows()), d = static_cast<double>(scores.columns());
  if (scores.columns() < 2 || n > d + 1) return copula;
  // Singular whatever the law: shrunk to the identity by as much of Σ r² as independent columns would show.
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
  const auto [log_degrees, least] =
      boost::math::tools::brent_find_minima(profile, std::log(min_degrees), std::log(max_degrees), 10, evaluations);
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
  const Root r = root(copula.correlation);
  const bool gaussian = std::isinf(copula.degrees);
  const StudentScores t =
      gaussian ? StudentScores{scores.z, log_normal_rows(scores.z)} : student_scores(scores, copula.degrees, threads);
  const auto dimension = static_cast<double>(scores.columns());
  const double constant =
      (gaussian ? dimension * log_normal_pdf(0.0) : log_student_constant(copula.degrees, dimension)) - r.half_log_det;
  arma::vec log_ratio(scores.rows());
  parallel_for(block_count(scores.rows(), block), threads, [&](std::size_t b) {
    const RowRange range = block_range(b, scores.rows(), block);
    const arma::vec distance = arma::sum(arma::square(t.y.rows(range.begin, range.end - 1) * r.inverse), 1);
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const double m = distance[i - range.begin];
      const double decay = gaussian ? 0.5 * m : (copula.degrees + dimension) / 2 * std::log1p(m / copula.degrees);
      log_ratio[i] = constant - decay - t.log_margins[i];
    }
  });
  return log_ratio;
}

arma::mat whiten(const EllipticalCopula& copula, const Scores& scores, int threads) {
  const arma::mat inverse = root(copula.correlation).inverse;
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

}  // namespace gaussianize::detail
