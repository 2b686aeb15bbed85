#include "gaussianize/marginal/detail/power_transform.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/detail/kde_sums.hpp"
#include "gaussianize/marginal/detail/pareto_tail.hpp"
#include "gaussianize/math/estimate.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::size_t max_steps = 3;
constexpr int powers = 7;                  // λ = 3^{−i/2}, i = 1 … 6, and λ = 0
constexpr double gain_about_mode = 0.005;  // nats a row
constexpr double gain_about_zero = 0.02;
constexpr double errors_about_zero = 5;
constexpr double gain_of_stronger = 0.01;
constexpr std::size_t min_rows = 50;   // fewer cannot tell one step from another
constexpr std::ptrdiff_t nearest = 3;  // δ is the distance of this row from the pole
constexpr double min_width = 1e-14;    // of the column's reach: what is nearer to the pole is rounding
constexpr double knot_ratio = 1.2;     // of |u| + δ from knot to knot
constexpr double tail_step = 0.5;      // in log probability, from knot to knot
constexpr double tail_reach = 40.0;    // in log probability

TransformedValue transform_value(const PowerStep& step, double x) {
  const double u = x - step.pole;
  if (step.power == 1) return {u, 1, 0};
  const double distance = std::abs(u) + step.width;
  const double growth = std::log1p(std::abs(u) / step.width);
  const double w =
      step.power == 0 ? growth : std::pow(step.width, step.power) * std::expm1(step.power * growth) / step.power;
  return {std::copysign(w, u), std::pow(distance, step.power - 1),
          std::copysign((step.power - 1) / distance, u * (step.power - 1))};
}

double inverse_transform_value(const PowerStep& step, double w) {
  if (step.power == 1) return step.pole + w;
  const double growth = step.power == 0
                            ? std::abs(w)
                            : std::log1p(step.power * std::abs(w) / std::pow(step.width, step.power)) / step.power;
  return step.pole + std::copysign(step.width * std::expm1(growth), w);
}

/// The column in increasing order, repeated values spread evenly over the step they stand for, half-way to their
/// neighbours: rounded data would otherwise call for kernels narrower than what they were rounded to.
std::vector<double> without_ties(const double* x, std::size_t n) {
  std::vector<double> sorted(x, x + n);
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> spread = sorted;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && sorted[end] == sorted[begin]) ++end;
    const double value = sorted[begin];
    const double below = begin > 0 ? value - sorted[begin - 1] : end < n ? sorted[end] - value : 0;
    const double above = end < n ? sorted[end] - value : below;
    const auto count = static_cast<double>(end - begin);
    for (std::size_t i = begin; count > 1 && i < end; ++i)
      spread[i] = value - 0.5 * below + (static_cast<double>(i - begin) + 0.5) / count * 0.5 * (below + above);
    begin = end;
  }
  return spread;
}

/// The densest place of a sorted column: the half with the least range, of that half again, and so on [Robertson &
/// Cryer 1974].
double half_sample_mode(const std::vector<double>& sorted) {
  std::size_t begin = 0;
  std::size_t count = sorted.size();
  while (count > 3) {
    const std::size_t half = (count + 1) / 2;
    std::size_t best = begin;
    for (std::size_t i = begin; i + half <= begin + count; ++i)
      if (sorted[i + half - 1] - sorted[i] < sorted[best + half - 1] - sorted[best]) best = i;
    begin = best;
    count = half;
  }
  return sorted[begin + count / 2];
}

/// δ of (P1) for a pole, not so small that rounding would decide; 0 if many rows lie on the pole itself: no power
/// unfolds those.
double width_at(const std::vector<double>& sorted, double pole) {
  const double reach = std::max(std::abs(sorted.front() - pole), std::abs(sorted.back() - pole)) + std::abs(pole);
  const double least = min_width * reach;
  const auto first = std::lower_bound(sorted.begin(), sorted.end(), pole - least);
  const auto last = std::upper_bound(first, sorted.end(), pole + least);
  if (static_cast<double>(last - first) > std::max(10.0, 1e-3 * static_cast<double>(sorted.size()))) return 0;
  const auto before = std::min<std::ptrdiff_t>(nearest, first - sorted.begin());
  const auto after = std::min<std::ptrdiff_t>(nearest, sorted.end() - last);
  std::vector<double> distance;
  for (auto row = first - before; row != last + after; ++row) distance.push_back(std::abs(*row - pole));
  std::sort(distance.begin(), distance.end());
  return std::max(distance[std::min<std::size_t>(nearest, distance.size()) - 1], least);
}

/// log density of each value with the value left out, by the kernel estimate of the transformed column: with the best
/// of three bandwidths, since a column that crowds somewhere calls for less than the rule of thumb.
arma::vec leave_one_out(const PowerTransform& transform, const arma::vec& x) {
  arma::vec w(x.n_elem), log_slope(x.n_elem), best;
  for (arma::uword i = 0; i < x.n_elem; ++i) {
    const TransformedValue c = transform_value(transform, x[i]);
    w[i] = c.value;
    log_slope[i] = std::log(c.slope);
  }
  const double thumb = select_bandwidth(w.memptr(), w.n_elem, BandwidthRule::rule_of_thumb);
  const double least = KdeSums::min_bandwidth(w.memptr(), w.n_elem);
  for (const double share : {1.0, 0.3, 0.1}) {
    if (!best.empty() && share * thumb < least) break;
    const MonotoneSpline spline = kde_spline(w.memptr(), w.n_elem, share * thumb);
    arma::vec log_p = leave_one_out_log_density(spline, w.memptr(), w.n_elem);
    if (best.empty() || arma::mean(log_p) > arma::mean(best)) best = std::move(log_p);
  }
  return best + log_slope;
}

/// No step and a step of each power about a pole.
std::vector<PowerTransform> steps_about(const std::vector<double>& sorted, double pole) {
  std::vector<PowerTransform> steps{{}};
  const double width = width_at(sorted, pole);
  if (!(width > 0) || !std::isfinite(pole)) return steps;
  for (int i = 1; i <= powers; ++i) steps.push_back({{pole, i < powers ? std::pow(3.0, -0.5 * i) : 0.0, width}});
  return steps;
}

std::vector<double> transformed(const PowerTransform& transform, std::vector<double> x) {
  for (double& value : x) value = transform_value(transform, value).value;
  return x;
}

/// Steps and what they make of the rows.
struct Candidate {
  PowerTransform steps;
  arma::vec log_p;

  /// Whether it is better by so many standard errors of the rows' differences, and by `least` nats a row.
  bool beats(const Candidate& other, double least = 0, double errors = 3) const {
    const Estimate gain = mean_estimate(log_p - other.log_p);
    return gain.value > std::max(errors * gain.standard_error, least);
  }

  /// For steps that come from the mildest to the strongest: a stronger one must be clearly better.
  void take_better(Candidate other) {
    if (log_p.empty() || other.beats(*this, gain_of_stronger)) *this = std::move(other);
  }
};

/// Looks for the best of the transforms that extend one of `first` by a step about the densest place, or by none.
Candidate search(const std::vector<PowerTransform>& first, const std::vector<double>& sorted, const arma::vec& rows) {
  Candidate best;
  for (const PowerTransform& start : first) {
    const std::vector<double> below = transformed(start, sorted);
    for (const PowerTransform& second : steps_about(below, half_sample_mode(below))) {
      PowerTransform steps = start;
      steps.insert(steps.end(), second.begin(), second.end());
      if (steps.empty()) continue;
      arma::vec log_p = leave_one_out(steps, rows);
      if (best.log_p.empty() || arma::mean(log_p) > arma::mean(best.log_p)) best = {std::move(steps), std::move(log_p)};
    }
  }
  return best;
}

/// The best step for a sorted column about the densest place, about `zero`, or about the one and then the other, if it
/// is clearly worth it; more clearly about `zero`, which moves with the origin of the column's unit. Both poles are
/// tried together, since a crowd at one may hide what a step about the other gains, unless each alone does harm.
PowerTransform next_steps(const std::vector<double>& sorted, double zero, std::size_t max_rows) {
  const arma::vec rows = evenly_spaced(sorted.data(), sorted.size(), std::min(sorted.size(), max_rows));
  const std::vector<PowerTransform> about_zero = steps_about(sorted, zero);
  const Candidate plain{{}, leave_one_out({}, rows)};
  const Candidate mode = search({PowerTransform{}}, sorted, rows);
  Candidate other;
  for (const PowerTransform& step : about_zero)
    if (!step.empty()) other.take_better({step, leave_one_out(step, rows)});
  const auto harmful = [&](const Candidate& c) { return c.log_p.empty() || plain.beats(c); };
  if (harmful(mode) && harmful(other)) return {};
  const Candidate& base = !mode.log_p.empty() && mode.beats(plain, gain_about_mode) ? mode : plain;
  if (Candidate both = search({about_zero.begin() + 1, about_zero.end()}, sorted, rows); !both.log_p.empty())
    other.take_better(std::move(both));
  return !other.log_p.empty() && other.beats(base, gain_about_zero, errors_about_zero) ? other.steps : base.steps;
}

/// Where the composed spline has its knots: those of the transformed column's spline, a geometric series about every
/// pole, and some way into both tails. An even number, far enough apart to be told from each other.
std::vector<double> composed_knots(const PowerTransform& transform, const MonotoneSpline& spline) {
  std::vector<double> x;
  for (const double w : spline.position) x.push_back(inverse_transform_value(transform, w));
  for (double drop = tail_step; drop <= tail_reach; drop += tail_step) {
    const auto excess = [&](const Tail& t, double slope) {
      if (t.straight)
        return (normal_quantile_from_log(t.log_mass) - normal_quantile_from_log(t.log_mass - drop)) / slope;
      return (t.shape > 0 ? std::expm1(t.shape * drop) / t.shape : drop) / t.rate;
    };
    x.push_back(
        inverse_transform_value(transform, spline.position.front() - excess(spline.lower, spline.slope.front())));
    x.push_back(inverse_transform_value(transform, spline.position.back() + excess(spline.upper, spline.slope.back())));
  }
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double ends[] = {*low, *high};
  for (std::size_t s = 0; s < transform.size(); ++s) {
    const PowerStep& step = transform[s];
    const PowerTransform below(transform.begin(), transform.begin() + static_cast<std::ptrdiff_t>(s));
    double reach = 0;
    for (const double end : ends) reach = std::max(reach, std::abs(transform_value(below, end).value - step.pole));
    x.push_back(inverse_transform_value(below, step.pole));
    for (double u = (knot_ratio - 1) * step.width; u < reach; u = knot_ratio * (u + step.width) - step.width) {
      x.push_back(inverse_transform_value(below, step.pole - u));
      x.push_back(inverse_transform_value(below, step.pole + u));
    }
  }
  std::sort(x.begin(), x.end());
  std::vector<double> apart;
  for (const double place : x) {
    if (!(place >= ends[0] && place <= ends[1]) || !std::isfinite(place)) continue;
    const double least = 16 * std::numeric_limits<double>::epsilon() * std::abs(place);
    if (apart.empty() || place - apart.back() > least) apart.push_back(place);
  }
  if (apart.size() % 2 == 1) apart.pop_back();
  return apart;
}

/// The tail that meets a knot with its value and slope; its hazard falls as the slope of the transform does.
Tail tail_at(const PowerTransform& transform, double x, double height, double slope) {
  const double rate = slope / std::exp(log_mills_ratio(height));
  return {log_normal_cdf(-height), rate,
          std::clamp(std::abs(transform_value(transform, x).log_slope_derivative) / rate, 0.0, 1.0)};
}

/// spline ∘ transform as one spline. Cells and the gaps between them take turns, so knots may lie anywhere.
MonotoneSpline compose(const PowerTransform& transform, const MonotoneSpline& spline) {
  MonotoneSpline composed;
  composed.bandwidth = spline.bandwidth;
  composed.position = composed_knots(transform, spline);
  const std::size_t count = composed.position.size();
  composed.value.resize(count);
  composed.slope.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const TransformedValue c = transform_value(transform, composed.position[k]);
    forward(spline, &c.value, &composed.value[k], &composed.slope[k], 1);
    composed.slope[k] *= c.slope;
    if (k > 0) composed.value[k] = std::max(composed.value[k], composed.value[k - 1]);
    if (k % 2 == 1) continue;
    composed.segments.push_back({composed.position[k], composed.position[k + 1] - composed.position[k], k / 2, 1});
    composed.cell_knot.push_back(static_cast<std::uint32_t>(k));
    composed.cell_level.push_back(0);
  }
  limit_slopes(composed);
  composed.lower = tail_at(transform, composed.position.front(), -composed.value.front(), composed.slope.front());
  composed.upper = tail_at(transform, composed.position.back(), composed.value.back(), composed.slope.back());
  return composed;
}

}  // namespace

TransformedValue transform_value(const PowerTransform& transform, double x) {
  TransformedValue total{x, 1, 0};
  for (const PowerStep& step : transform) {
    const TransformedValue next = transform_value(step, total.value);
    total = {next.value, total.slope * next.slope,
             total.log_slope_derivative + next.log_slope_derivative * total.slope};
  }
  return total;
}

double inverse_transform_value(const PowerTransform& transform, double w) {
  for (auto step = transform.rbegin(); step != transform.rend(); ++step) w = inverse_transform_value(*step, w);
  return w;
}

PowerTransform choose_power_transform(const double* x, std::size_t n, double zero, std::size_t max_rows) {
  if (n < min_rows) return {};
  std::vector<double> sorted(x, x + n);
  std::sort(sorted.begin(), sorted.end());
  PowerTransform transform;
  while (transform.size() < max_steps) {
    const PowerTransform steps = next_steps(sorted, zero, max_rows);
    if (steps.empty()) break;
    transform.insert(transform.end(), steps.begin(), steps.end());
    zero = transform_value(steps, zero).value;
    sorted = transformed(steps, std::move(sorted));
  }
  return transform;
}

SplineMarginal fit_power_kde(const arma::mat& x, const arma::rowvec& zero, double shrinkage,
                             const KdeOptions& options) {
  require(zero.n_elem == x.n_cols, "fit_power_kde: ", zero.n_elem, " zeros for ", x.n_cols, " columns");
  // A search takes a tenth of a second a column; the hundreds of an image share the time of one hundred.
  const std::size_t max_rows = std::max<std::size_t>(1000, selection_rows * 100 / std::max<std::size_t>(100, x.n_cols));
  SplineMarginal marginal;
  marginal.columns.resize(x.n_cols);
  parallel_for_columns(x.n_cols, options.threads, [&](std::size_t d) {
    // Powers about a zero that far away would change no shape and leave of the column's differences only rounding.
    const double pole = std::abs(zero[d]) < 1e6 ? zero[d] : 0.0;
    arma::vec w(without_ties(x.colptr(d), x.n_rows));
    const PowerTransform transform = choose_power_transform(w.memptr(), w.n_rows, pole, max_rows);
    for (double& value : w) value = transform_value(transform, value).value;
    MonotoneSpline spline = fit_kde_column(w.memptr(), w.n_rows, options);
    fit_tails(spline, w.memptr(), w.n_rows);
    spline.shrinkage = shrinkage;
    spline.shift = arma::mean(w);
    spline.scale = arma::stddev(w, 1);
    marginal.columns[d] = transform.empty() ? std::move(spline) : compose(transform, spline);
  });
  return marginal;
}

}  // namespace gaussianize::detail
