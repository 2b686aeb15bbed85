#include "gaussianize/marginal/detail/mixture_log_domain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// log σ(t), without underflow or cancellation.
double log_sigmoid(double t) {
  return std::min(t, 0.0) - std::log1p(std::exp(-std::abs(t)));
}

double sigmoid(double t) {
  return t < 0.0 ? std::exp(t) / (1.0 + std::exp(t)) : 1.0 / (1.0 + std::exp(-t));
}

/// One dimension's kernels at one x.
struct Kernels {
  const double *mu, *inverse_scale, *log_scale, *log_weight;
  std::size_t count;
  double x;

  Kernels(const MixtureEvaluator& m, std::size_t d, double at)
      : mu(m.mu.colptr(d)),
        inverse_scale(m.inverse_scale.colptr(d)),
        log_scale(m.log_scale.colptr(d)),
        log_weight(m.log_weight.colptr(d)),
        count(m.kernels()),
        x(at) {}

  double t(std::size_t j) const { return (x - mu[j]) * inverse_scale[j]; }
  double log_tail(std::size_t j, double side) const { return log_weight[j] + log_sigmoid(side * t(j)); }
  double log_slope(std::size_t j, const TailPoint& p) const {
    return (log_tail(j, p.side) - p.largest_tail) + (log_sigmoid(-p.side * t(j)) - log_scale[j]);
  }
};

/// log Σ e^{term(j)} as its largest term and the sum relative to it: the largest enters as e⁰ exactly.
struct LogSum {
  double largest = -infinity, sum = 0.0;
  double value() const { return largest + std::log(sum); }
};

template <class Term>
LogSum log_sum(std::size_t count, Term term) {
  LogSum s;
  for (std::size_t j = 0; j < count; ++j) s.largest = std::max(s.largest, term(j));
  if (s.largest == -infinity) return s;
  for (std::size_t j = 0; j < count; ++j) s.sum += std::exp(term(j) - s.largest);
  return s;
}

}  // namespace

TailPoint tail_point(const MixtureEvaluator& mixture, std::size_t d, double x) {
  TailPoint p;
  if (std::isnan(x)) {
    p.z = p.log_dzdx = x;
    return p;
  }
  const Kernels kernels(mixture, d, x);
  const LogSum lower = log_sum(kernels.count, [&](std::size_t j) { return kernels.log_tail(j, 1.0); });
  const LogSum upper = log_sum(kernels.count, [&](std::size_t j) { return kernels.log_tail(j, -1.0); });
  p.side = lower.value() < upper.value() ? 1.0 : -1.0;
  const LogSum& tail = p.side > 0.0 ? lower : upper;
  if (tail.largest == -infinity) {
    p.z = -p.side * infinity;
    p.log_dzdx = -infinity;
    return p;
  }
  p.largest_tail = tail.largest;
  p.tail_sum = tail.sum;
  const LogSum slope = log_sum(kernels.count, [&](std::size_t j) { return kernels.log_slope(j, p); });
  p.largest_slope = slope.largest;
  p.slope_sum = slope.sum;
  if (mixture.link == Link::logit) {
    const double rest = std::min((p.side > 0.0 ? upper : lower).value(), 0.0);
    p.z = p.side * logit_scale * (std::min(tail.value(), 0.0) - rest);
    p.log_dzdx = std::log(logit_scale) + (slope.value() - std::log(tail.sum)) - rest;
    return p;
  }
  const double below = normal_quantile_from_log(std::min(tail.value(), 0.0));
  p.z = p.side * below;
  // (M11): through the hazard f/p and Mills' ratio p/φ, since log f and log φ alone are both as large as z²/2.
  p.log_dzdx = (slope.value() - std::log(tail.sum)) + log_mills_ratio(-below);
  return p;
}

namespace {

/// a of (M12), or of (M16) for the logit: A times the smaller tail.
double tail_factor(Link link, double z, double z_bar, double log_dzdx_bar) {
  if (link == Link::probit) return (z_bar + log_dzdx_bar * z) * std::exp(log_mills_ratio(std::abs(z)));
  const double u = z / logit_scale;
  return (logit_scale * z_bar + log_dzdx_bar * std::tanh(0.5 * u)) * (1.0 + std::exp(-std::abs(u)));
}

/// log(F/S) of the mixture at z.
double log_odds(Link link, double z) {
  return link == Link::probit ? log_normal_cdf(z) - log_normal_cdf(-z) : z / logit_scale;
}

}  // namespace

double tail_backward(const MixtureEvaluator& mixture, std::size_t d, double x, double z_bar, double log_dzdx_bar,
                     const MixtureSums& sums) {
  const TailPoint p = tail_point(mixture, d, x);
  const Kernels kernels(mixture, d, x);
  const double factor = tail_factor(mixture.link, p.z, z_bar, log_dzdx_bar);
  double x_bar = 0.0;
  for (std::size_t j = 0; j < kernels.count; ++j) {
    const double t = kernels.t(j);
    const double of_tail = factor * std::exp(kernels.log_tail(j, p.side) - p.largest_tail) / p.tail_sum;
    const double of_density = log_dzdx_bar * std::exp(kernels.log_slope(j, p) - p.largest_slope) / p.slope_sum;
    const double tanh_half = std::tanh(0.5 * t);
    const double of_slope = of_tail * sigmoid(-p.side * t);
    const double g = (of_slope - of_density * tanh_half) * kernels.inverse_scale[j];
    x_bar += g;
    sums.mu[j] += g;
    sums.scale[j] += t * of_slope + of_density * (1.0 - t * tanh_half);
    if (sums.weight != nullptr) sums.weight[j] += p.side * of_tail + of_density;
  }
  return x_bar;
}

Bracket quantile_bracket(const MixtureEvaluator& mixture, std::size_t d, double z) {
  const double logit = log_odds(mixture.link, z);
  Bracket bracket{infinity, -infinity};
  for (std::size_t j = 0; j < mixture.kernels(); ++j) {
    const double mu = mixture.mu(j, d);
    const double away = logit * std::exp(mixture.log_scale(j, d));
    // Room for the rounding of either side.
    const double margin = 8.0 * epsilon * (std::abs(mu) + std::abs(away)) + std::numeric_limits<double>::min();
    bracket.low = std::min(bracket.low, mu + away - margin);
    bracket.high = std::max(bracket.high, mu + away + margin);
  }
  return bracket;
}

double solve_inverse(const MixtureEvaluator& mixture, std::size_t d, double z, Bracket bracket) {
  auto [low, high] = bracket;
  if (!std::isfinite(z) || !std::isfinite(low) || !std::isfinite(high)) return z * infinity;
  double x = low + 0.5 * (high - low);
  double width = infinity;
  // Halved at least every other round, so that 300 rounds exhaust any bracket of doubles that one Newton step cannot.
  for (int round = 0; round < 300; ++round) {
    const TailPoint p = tail_point(mixture, d, x);
    const double error = p.z - z;
    (error < 0.0 ? low : high) = x;
    double next = x - error * std::exp(-p.log_dzdx);
    const bool inside = next >= low && next <= high;
    if (std::abs(error) <= epsilon * std::max(1.0, std::abs(z))) return inside ? next : x;
    const bool slow = round % 2 == 1 && high - low > 0.5 * width;
    if (round % 2 == 1) width = high - low;
    if (!inside || slow) next = low + 0.5 * (high - low);
    if (next == x || !(next > low && next < high)) return next;
    x = next;
  }
  return x;
}

}  // namespace gaussianize::detail
