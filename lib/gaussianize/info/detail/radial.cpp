#include "gaussianize/info/detail/radial.hpp"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>

namespace gaussianize::detail {
namespace {

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
