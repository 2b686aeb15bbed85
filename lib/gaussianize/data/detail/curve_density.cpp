#include "gaussianize/data/detail/curve_density.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

using toy::Point;

/// Nodes and weights of Gauss's rule with five points on (−1, 1).
std::array<std::pair<double, double>, 5> gauss_rule() {
  const double inner = std::sqrt(5 - 2 * std::sqrt(10.0 / 7)) / 3;
  const double outer = std::sqrt(5 + 2 * std::sqrt(10.0 / 7)) / 3;
  const double inner_weight = (322 + 13 * std::sqrt(70.0)) / 900;
  const double outer_weight = (322 - 13 * std::sqrt(70.0)) / 900;
  return {{{-outer, outer_weight},
           {-inner, inner_weight},
           {0.0, 128.0 / 225},
           {inner, inner_weight},
           {outer, outer_weight}}};
}

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

double square_distance(Point p, Point centre, double box) {
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

CurveDensity::CurveDensity(const std::function<Point(double)>& curve, const std::function<double(double)>& weight,
                           double begin, double end, CurveNoise noise)
    : noise_(noise) {
  constexpr double probe = 1e-6;
  for (double t = begin; t < end;) {
    const Point here = curve(t);
    const Point next = curve(t + probe);
    const double speed = std::hypot(next.x - here.x, next.y - here.y) / probe;
    const double step = 0.75 * noise.sigma / speed;
    const double last = t + step < end ? t + step : end;
    const double half = (last - t) / 2;
    for (const auto& [place, share] : gauss_rule()) {
      const double at = t + half * (1 + place);
      nodes_.push_back({curve(at), std::log(half * share * weight(at))});
    }
    t = last;
  }
}

double CurveDensity::log_density(Point p) const {
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
