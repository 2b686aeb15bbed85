#include "gaussianize/data/detail/curve_density.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include <boost/math/quadrature/gauss.hpp>

#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

/// Boost gives its points from the middle outwards, without the mirrored ones.
using GaussRule = boost::math::quadrature::gauss<double, 5>;

/// log(Φ(b) − Φ(a)) for a < b, from the tail in which both are small.
double log_normal_interval(double a, double b) {
  if (a > 0) {
    std::swap(a, b);
    a = -a;
    b = -b;
  }
  if (b > 0) return std::log(normal_cdf(b) - normal_cdf(a));
  const double log_upper = log_normal_cdf(b);
  return log_upper + std::log1p(-std::exp(log_normal_cdf(a) - log_upper));
}

double log_noise_density(double v, const CurveNoise& noise) {
  if (noise.box == 0) return log_normal_pdf(v / noise.sigma) - std::log(noise.sigma);
  return log_normal_interval((v - noise.box) / noise.sigma, v / noise.sigma) - std::log(noise.box);
}

double square_distance(PlanePoint p, PlanePoint centre, double box) {
  const auto outside = [box](double v) { return std::max({v - box, -v, 0.0}); };
  const double dx = outside(p.x - centre.x);
  const double dy = outside(p.y - centre.y);
  return dx * dx + dy * dy;
}

}  // namespace

double log_add(double a, double b) {
  const double largest = std::max(a, b);
  if (largest == -std::numeric_limits<double>::infinity()) return largest;
  return largest + std::log1p(std::exp(std::min(a, b) - largest));
}

CurveDensity::CurveDensity(const std::function<PlanePoint(double)>& curve, const std::function<double(double)>& weight,
                           double begin, double end, CurveNoise noise)
    : noise_(noise) {
  constexpr double probe = 1e-6;
  for (double t = begin; t < end;) {
    const PlanePoint here = curve(t);
    const PlanePoint next = curve(t + probe);
    const double speed = std::hypot(next.x - here.x, next.y - here.y) / probe;
    const double step = 0.75 * noise.sigma / speed;
    const double last = t + step < end ? t + step : end;
    const double half = (last - t) / 2;
    for (const int k : {-2, -1, 0, 1, 2}) {
      const auto point = static_cast<std::size_t>(std::abs(k));
      const double at = t + half * (1 + std::copysign(GaussRule::abscissa()[point], k));
      nodes_.push_back({curve(at), std::log(half * GaussRule::weights()[point] * weight(at))});
    }
    t = last;
  }
}

double CurveDensity::log_density(PlanePoint p) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Node& node : nodes_) nearest = std::min(nearest, square_distance(p, node.centre, noise_.box));
  // What is left out is below e⁻³⁶ of the largest term.
  const double farthest = nearest + 2 * 36 * noise_.sigma * noise_.sigma;
  double sum = -std::numeric_limits<double>::infinity();
  for (const Node& node : nodes_) {
    if (square_distance(p, node.centre, noise_.box) > farthest) continue;
    sum = log_add(sum, node.log_weight + log_noise_density(p.x - node.centre.x, noise_) +
                           log_noise_density(p.y - node.centre.y, noise_));
  }
  return sum;
}

}  // namespace gaussianize::detail
