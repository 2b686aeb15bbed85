#include "gaussianize/marginal/detail/sheather_jones.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <armadillo>
#include <boost/math/tools/toms748_solve.hpp>

namespace gaussianize::detail {
namespace {

constexpr std::size_t bins = 4096;

/// Histogram of the rows within reach of the median, as shares; and how it maps to the axis.
struct Histogram {
  arma::vec share;
  double range = 0.0;
  double rows = 0.0;
};

Histogram histogram(const double* x, std::size_t n, double scale) {
  std::vector<double> values(x, x + n);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n / 2), values.end());
  const double median = values[n / 2];
  std::erase_if(values, [&](double v) { return std::abs(v - median) > 20 * scale; });
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double margin = 0.1 * (*high - *low);
  Histogram h{arma::vec(bins, arma::fill::zeros), *high - *low + 2 * margin, static_cast<double>(values.size())};
  const double begin = *low - margin;
  for (const double v : values) {
    const auto bin = static_cast<std::size_t>((v - begin) / h.range * bins);
    h.share[std::min(bin, bins - 1)] += 1 / h.rows;
  }
  return h;
}

/// (Σ_j p_j cos(πk(j + ½)/n))², k = 1 … n − 1, by one complex transform of the rows reordered evens first.
arma::vec squared_cosines(const arma::vec& share) {
  arma::vec ordered(bins);
  for (std::size_t j = 0; j < bins / 2; ++j) {
    ordered[j] = share[2 * j];
    ordered[bins - 1 - j] = share[2 * j + 1];
  }
  const arma::cx_vec transform = arma::fft(ordered);
  arma::vec squares(bins - 1);
  for (std::size_t k = 1; k < bins; ++k) {
    const double angle = -std::numbers::pi * static_cast<double>(k) / (2.0 * bins);
    const double cosine = (transform[k] * std::polar(1.0, angle)).real();
    squares[k - 1] = cosine * cosine;
  }
  return squares;
}

/// Whether the cosines have fallen to what sampling makes of any smooth density, 1/(2N), by the end of the series. If
/// they have not, there are atoms (or peaks narrower than a bin), and the fixed point would be one of the histogram.
bool resolved(const arma::vec& squares, double rows) {
  return arma::mean(squares.tail(bins / 4)) < 5 / rows;
}

/// ‖f^{(s)}‖² of the estimate smoothed for time t: 2π^{2s} Σ k^{2s} a_k² e^{−k²π²t}.
double roughness(const arma::vec& squares, int s, double t) {
  const double pi2 = std::numbers::pi * std::numbers::pi;
  double sum = 0;
  for (std::size_t i = 0; i < squares.n_elem; ++i) {
    const double k2 = static_cast<double>((i + 1) * (i + 1));
    const double exponent = -k2 * pi2 * t;
    if (exponent < -700) break;
    sum += std::pow(k2, s) * squares[i] * std::exp(exponent);
  }
  return 2 * std::pow(pi2, s) * sum;
}

/// t − ξγ^{[7]}(t).
double fixed_point_error(const arma::vec& squares, double rows, double t) {
  double norm = roughness(squares, 7, t);
  for (int s = 6; s >= 2; --s) {
    double odd = 1;  // 1·3·…·(2s − 1)
    for (int factor = 3; factor < 2 * s; factor += 2) odd *= factor;
    const double constant = (1 + std::pow(0.5, s + 0.5)) / 3 * 2 * odd / std::sqrt(2 * std::numbers::pi);
    norm = roughness(squares, s, std::pow(constant / (rows * norm), 2.0 / (3 + 2 * s)));
  }
  return t - std::pow(2 * rows * std::sqrt(std::numbers::pi) * norm, -0.4);
}

}  // namespace

std::optional<double> sheather_jones_bandwidth(const double* x, std::size_t n, double scale) {
  const Histogram h = histogram(x, n, scale);
  if (!(h.range > 0)) return std::nullopt;
  const arma::vec squares = squared_cosines(h.share);
  if (!resolved(squares, h.rows)) return std::nullopt;
  const auto error = [&](double t) { return fixed_point_error(squares, h.rows, t); };
  // The error is negative at 0⁺; the smallest bracket that turns it positive holds the wanted root.
  double low = 1e-12;
  if (!(error(low) < 0)) return std::nullopt;
  double high = low;
  do {
    low = high;
    high *= 4;
    if (high > 0.1) return std::nullopt;
  } while (!(error(high) > 0));
  std::uintmax_t iterations = 60;
  const auto root =
      boost::math::tools::toms748_solve(error, low, high, boost::math::tools::eps_tolerance<double>(40), iterations);
  return std::sqrt(0.5 * (root.first + root.second)) * h.range;
}

}  // namespace gaussianize::detail
