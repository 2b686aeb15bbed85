#include "gaussianize/marginal/detail/mixture_inverse.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "gaussianize/marginal/detail/mixture_log_domain.hpp"

namespace gaussianize::detail {
namespace {

// The table's knots: z from −4 to 4 in steps of ⅛, found from at most 26 points among the anchors.
constexpr std::size_t knots = 65;
constexpr double first_z = -4.0;
constexpr double knots_per_unit = 8.0;
constexpr std::size_t max_anchors = 24;

constexpr std::size_t rows_at_once = 256;
constexpr int max_rounds = 12;
constexpr double second_order = 30.0;  // units of rounding that the term may have in the last round, being known to 1 %
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Beyond, the smaller tail is below 1e-300 and every row takes the path through logarithms.
constexpr double largest_z(Link link) {
  return link == Link::probit ? 36.0 : 370.0;
}

struct Knot {
  double x, z, log_dzdx, dxdz;
};

/// x(z) between two knots: the cubic with their slopes or, where that leaves the interval, the chord.
double interpolate(const Knot& a, const Knot& b, double z) {
  const double rise = b.z - a.z;
  if (!(rise > 0.0)) return a.x;
  const double u = (z - a.z) / rise;
  const double chord = a.x + (b.x - a.x) * u;
  const double cubic =
      a.x + (b.x - a.x) * (u * u * (3.0 - 2.0 * u)) + u * (1.0 - u) * rise * ((1.0 - u) * a.dxdz - u * b.dxdz);
  return cubic > a.x && cubic < b.x ? cubic : chord;
}

/// The mixture at increasing x, as knots whose z increase even where rounding would have it otherwise.
std::vector<Knot> knots_at(const MixtureEvaluator& mixture, std::size_t d, const std::vector<double>& x) {
  std::vector<double> z(x.size());
  std::vector<double> log_dzdx(x.size());
  forward_column(mixture, d, x.data(), z.data(), log_dzdx.data(), x.size());
  std::vector<Knot> result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i > 0) z[i] = std::max(z[i], z[i - 1]);
    result[i] = {x[i], z[i], log_dzdx[i], std::exp(-log_dzdx[i])};
  }
  return result;
}

/// Points that hold z between the table's ends, most of them anchors: where z(x) bends.
std::vector<double> coarse_points(const MixtureEvaluator& mixture, std::size_t d) {
  const double low = quantile_bracket(mixture, d, first_z).low;
  const double high = quantile_bracket(mixture, d, -first_z).high;
  std::vector<double> anchors(mixture.mu.colptr(d), mixture.mu.colptr(d) + mixture.kernels());
  std::sort(anchors.begin(), anchors.end());
  std::vector<double> points{low};
  const std::size_t count = std::min(anchors.size(), max_anchors);
  for (std::size_t i = 0; i < count; ++i) points.push_back(anchors[(2 * i + 1) * anchors.size() / (2 * count)]);
  points.push_back(high);
  return points;
}

std::vector<Knot> tabulate(const MixtureEvaluator& mixture, std::size_t d) {
  const std::vector<Knot> coarse = knots_at(mixture, d, coarse_points(mixture, d));
  std::vector<double> x(knots);
  std::size_t i = 1;
  for (std::size_t k = 0; k < knots; ++k) {
    const double z = first_z + static_cast<double>(k) / knots_per_unit;
    while (i + 1 < coarse.size() && coarse[i].z < z) ++i;
    x[k] = std::clamp(interpolate(coarse[i - 1], coarse[i], z), coarse[i - 1].x, coarse[i].x);
  }
  std::sort(x.begin(), x.end());
  return knots_at(mixture, d, x);
}

/// One dimension's table.
struct Table {
  const double *x, *z, *log_dzdx, *dxdz;
  Knot operator[](std::size_t k) const { return {x[k], z[k], log_dzdx[k], dxdz[k]}; }

  /// The left one of the two knots around z, which must lie between the first and the last.
  std::size_t find(double target) const {
    auto k = static_cast<std::size_t>(std::clamp((target - first_z) * knots_per_unit, 0.0, knots - 2.0));
    while (k > 0 && z[k] > target) --k;
    while (k + 2 < knots && z[k + 1] < target) ++k;
    return k;
  }
};

/// Rows of one dimension that are being solved, each between two points where the map is known. A log slope that is not
/// is a NaN.
struct Active {
  std::size_t count = 0;
  std::array<std::size_t, rows_at_once> row;
  std::array<double, rows_at_once> target, x, low, high, log_low, log_high;

  void add(std::size_t i, double z, double start, const Knot& a, const Knot& b) {
    row[count] = i;
    target[count] = z;
    x[count] = start;
    low[count] = a.x;
    high[count] = b.x;
    log_low[count] = a.log_dzdx;
    log_high[count] = b.log_dzdx;
    ++count;
  }

  void copy(std::size_t to, std::size_t from) {
    row[to] = row[from];
    target[to] = target[from];
    x[to] = x[from];
    low[to] = low[from];
    high[to] = high[from];
    log_low[to] = log_low[from];
    log_high[to] = log_high[from];
  }
};

void start(const MixtureEvaluator& mixture, std::size_t d, const Table& table, std::size_t row, double z,
           Active& active) {
  const Knot first = table[0];
  const Knot last = table[knots - 1];
  if (z >= first.z && z <= last.z) {
    const std::size_t k = table.find(z);
    const Knot a = table[k];
    const Knot b = table[k + 1];
    active.add(row, z, interpolate(a, b, z), a, b);
    return;
  }
  // In a tail z bends away from the tangent at the inner end, or follows it.
  const Bracket bracket = quantile_bracket(mixture, d, z);
  const Knot& inner = z < first.z ? first : last;
  const double x = inner.x + (z - inner.z) * inner.dxdz;
  const Knot low = z < first.z ? Knot{bracket.low, z, not_a_number, 1.0} : last;
  const Knot high = z < first.z ? first : Knot{bracket.high, z, not_a_number, 1.0};
  active.add(row, z, x > low.x && x < high.x ? x : low.x + 0.5 * (high.x - low.x), low, high);
}

/// d log(dz/dx)/dx at x from the values there and at both ends, or at the one end that is known, and a size that it is
/// not likely to exceed. NaN if neither end is known.
struct Curvature {
  double value, size;
};

Curvature curvature(const Active& s, std::size_t i, double log_dzdx) {
  const double left = (log_dzdx - s.log_low[i]) / (s.x[i] - s.low[i]);
  const double right = (s.log_high[i] - log_dzdx) / (s.high[i] - s.x[i]);
  const double both = left + right - (s.log_high[i] - s.log_low[i]) / (s.high[i] - s.low[i]);
  if (std::isfinite(both)) return {both, std::abs(left) + std::abs(right)};
  const double one = std::isfinite(left) ? left : right;
  return {one, 2.0 * std::abs(one)};
}

/// (M13): Newton's step and the second-order term that the curvature gives it, or half the bracket. True if x is then
/// final: the second-order term was at the level of rounding already.
bool improve(Active& s, std::size_t i, double z, double log_dzdx, double dxdz) {
  const double error = z - s.target[i];
  const double step = error * dxdz;
  const Curvature log_slope_derivative = curvature(s, i, log_dzdx);
  const double x = s.x[i];
  (error < 0.0 ? s.low : s.high)[i] = x;
  (error < 0.0 ? s.log_low : s.log_high)[i] = log_dzdx;
  const double second = 0.5 * log_slope_derivative.value * step;
  const double next = x - step * (1.0 + (std::isfinite(second) ? std::clamp(second, -0.5, 0.5) : 0.0));
  const bool inside = next >= s.low[i] && next <= s.high[i];
  const double size = std::abs(error);
  const double rounding = 4e-16 * std::max(1.0, std::abs(z));
  if (size <= rounding ||
      (size <= 1e-5 && 0.5 * log_slope_derivative.size * std::abs(step) * size <= second_order * rounding)) {
    s.x[i] = inside ? next : x;
    return true;
  }
  s.x[i] = inside ? next : s.low[i] + 0.5 * (s.high[i] - s.low[i]);
  return s.x[i] == x;
}

/// Solves the active rows of dimension d, all together, and writes x. What is not solved in a few rounds, or leaves the
/// range of the vector loops, is done one by one.
void solve(const MixtureEvaluator& mixture, std::size_t d, Active& active, double* x) {
  std::array<double, rows_at_once> z, log_dzdx, dxdz;
  for (int round = 0; round < max_rounds && active.count > 0; ++round) {
    const std::size_t count = active.count;
    simd().mixture_forward(mixture.view(d), active.x.data(), z.data(), log_dzdx.data(), count);
    for (std::size_t i = 0; i < count; ++i) dxdz[i] = -log_dzdx[i];
    simd().exp(dxdz.data(), dxdz.data(), count);
    active.count = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isnan(z[i]))
        x[active.row[i]] = solve_inverse(mixture, d, active.target[i], {active.low[i], active.high[i]});
      else if (improve(active, i, z[i], log_dzdx[i], dxdz[i]))
        x[active.row[i]] = active.x[i];
      else
        active.copy(active.count++, i);
    }
  }
  for (std::size_t i = 0; i < active.count; ++i)
    x[active.row[i]] = solve_inverse(mixture, d, active.target[i], {active.low[i], active.high[i]});
}

}  // namespace

MixtureInverse make_inverse(const MixtureEvaluator& mixture) {
  MixtureInverse inverse;
  for (arma::mat* m : {&inverse.x, &inverse.z, &inverse.log_dzdx, &inverse.dxdz})
    m->set_size(knots, mixture.dimension());
  for (std::size_t d = 0; d < mixture.dimension(); ++d) {
    const std::vector<Knot> table = tabulate(mixture, d);
    for (std::size_t k = 0; k < knots; ++k) {
      inverse.x(k, d) = table[k].x;
      inverse.z(k, d) = table[k].z;
      inverse.log_dzdx(k, d) = table[k].log_dzdx;
      inverse.dxdz(k, d) = table[k].dxdz;
    }
  }
  return inverse;
}

void inverse_block(const MixtureEvaluator& mixture, const MixtureInverse& inverse, ConstBlock z, Block x,
                   std::size_t n) {
  Active active;
  for (std::size_t d = 0; d < mixture.dimension(); ++d) {
    const Table table{inverse.x.colptr(d), inverse.z.colptr(d), inverse.log_dzdx.colptr(d), inverse.dxdz.colptr(d)};
    for (std::size_t begin = 0; begin < n; begin += rows_at_once) {
      const std::size_t end = std::min(n, begin + rows_at_once);
      active.count = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double target = z.column(d)[i];
        if (std::abs(target) <= largest_z(mixture.link))
          start(mixture, d, table, i, target, active);
        else
          x.column(d)[i] = solve_inverse(mixture, d, target, quantile_bracket(mixture, d, target));
      }
      solve(mixture, d, active, x.column(d));
    }
  }
}

}  // namespace gaussianize::detail
