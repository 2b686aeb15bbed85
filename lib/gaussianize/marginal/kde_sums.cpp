#include "gaussianize/marginal/kde_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gaussianize/core/error.hpp"

namespace gaussianize {
namespace {

constexpr std::int64_t steps_per_cell = 4;
constexpr std::int64_t half_cell = steps_per_cell / 2;
constexpr double cells_per_bandwidth = 2;
constexpr std::int64_t near_steps = 32;  // |t| ≤ 4
constexpr int far_terms = 5;             // relative error e^{−20} at |t| = 4
constexpr std::int64_t most_steps = 100'000'000;

double step_t(std::int64_t steps) {
  return static_cast<double>(steps) / KdeSums::steps_per_bandwidth;
}

/// σ^{(m)}(t)/m! for m = 0 … 8. Each derivative is a polynomial in p = σ(t)σ(−t) = σ′, times d = σ(−t) − σ(t) for even m:
/// it follows from p′ = p d and d′ = −2p.
std::array<double, 9> sigmoid_taylor(double t) {
  const double s = 1 / (1 + std::exp(-t));
  const double r = 1 / (1 + std::exp(t));  // 1 − s without cancellation
  const double p = s * r;
  const double d = r - s;
  return {s,
          p,
          p * d / 2,
          p * (1 - 6 * p) / 6,
          p * d * (1 - 12 * p) / 24,
          p * (1 + p * (-30 + p * 120)) / 120,
          p * d * (1 + p * (-60 + p * 360)) / 720,
          p * (1 + p * (-126 + p * (1680 - p * 5040))) / 5040,
          p * d * (1 + p * (-252 + p * (5040 - p * 20160))) / 40320};
}

/// Weights of a cell's moments in the three sums, by the distance between lattice point and cell centre.
struct Taps {
  std::array<KdeSums::Moments, 2 * near_steps + 1> lower{}, density{};
  std::array<double, 2 * near_steps + 1> upper{};  // order 0; the higher orders are those of `lower`, negated
};

const Taps& taps() {
  static const Taps table = [] {
    Taps t;
    for (std::int64_t q = -near_steps; q <= near_steps; ++q) {
      const auto taylor = sigmoid_taylor(step_t(q));
      const auto i = static_cast<std::size_t>(q + near_steps);
      for (std::size_t m = 0; m < KdeSums::moments; ++m) {
        t.lower[i][m] = taylor[m];
        t.density[i][m] = static_cast<double>(m + 1) * taylor[m + 1];
      }
      t.upper[i] = sigmoid_taylor(step_t(-q))[0];
    }
    return t;
  }();
  return table;
}

/// Σ_i e^{k v_i} of a cell from its moments, v = (centre − x_i)/h.
double exponential_sum(const KdeSums::Moments& moments, double k) {
  double term = 1;
  double sum = 0;
  for (int m = 0; m < static_cast<int>(KdeSums::moments); ++m) {
    sum += moments[static_cast<std::size_t>(m)] * term;
    term *= k / (m + 1);
  }
  return sum;
}

using FarTerms = std::array<double, far_terms>;

/// e^{−k t}, k = 1 … far_terms, for a distance in lattice steps.
FarTerms decay(std::int64_t steps) {
  FarTerms terms{};
  for (int k = 1; k <= far_terms; ++k) terms[static_cast<std::size_t>(k - 1)] = std::exp(-k * step_t(steps));
  return terms;
}

/// The far cells on one side of a moving lattice point: Σ e^{−k|t_i|}, k = 1 … far_terms, and how many rows.
struct FarSide {
  FarTerms sum{};
  double rows = 0.0;

  void move(const FarTerms& factor) {
    for (std::size_t k = 0; k < far_terms; ++k) sum[k] *= factor[k];
  }
  /// The cell that has just left the near window; `sign` is +1 where the cell lies to the left.
  void take(const KdeSums::Moments& moments, double sign) {
    static const FarTerms entry = decay(near_steps + 1);
    if (moments[0] == 0) return;
    for (int k = 1; k <= far_terms; ++k) {
      const auto i = static_cast<std::size_t>(k - 1);
      sum[i] += entry[i] * exponential_sum(moments, -sign * k);
    }
    rows += moments[0];
  }
  /// Σ σ(−|t_i|) and Σ σ′(t_i).
  double tail() const { return sum[0] - sum[1] + sum[2] - sum[3] + sum[4]; }
  double density() const { return sum[0] - 2 * sum[1] + 3 * sum[2] - 4 * sum[3] + 5 * sum[4]; }
};

void add_row(KdeSums::Moments& moments, double v) {
  const double v2 = v * v;
  const double v4 = v2 * v2;
  const KdeSums::Moments powers = {1, v, v2, v * v2, v4, v * v4, v2 * v4, v * v2 * v4};
  for (std::size_t m = 0; m < powers.size(); ++m) moments[m] += powers[m];
}

}  // namespace

KdeSums::KdeSums(const double* x, std::size_t n, double bandwidth)
    : bandwidth_(bandwidth), rows_(static_cast<double>(n)) {
  require(n > 0 && bandwidth > 0, "KdeSums: ", n, " rows and bandwidth ", bandwidth, "; both must be positive");
  const auto [low, high] = std::minmax_element(x, x + n);
  origin_ = *low;
  const double reach = std::max(std::abs(*low), std::abs(*high)) + 20 * bandwidth;
  if (!(reach + bandwidth / steps_per_bandwidth > reach))
    throw DataError(concat("bandwidth ", bandwidth, " is below the precision of values of size ", reach,
                           ": the column is constant but for rounding; drop it or subtract its mean"));
  const double span = (*high - *low) / bandwidth * cells_per_bandwidth;
  if (span < 4 * rows_ + 4096)
    gather_dense(x, n, static_cast<std::int64_t>(span) + 1);
  else
    gather_sparse(x, n);
  sweep_up();
  sweep_down();
}

/// Adds a segment for cells first … last (padding not counted) and room for its moments.
void KdeSums::open_segment(std::int64_t first_cell, std::int64_t last_cell) {
  const std::int64_t first_step = first_cell * steps_per_cell - pad_steps;
  std::int64_t steps = (last_cell + 1) * steps_per_cell + pad_steps - first_step;
  steps = (steps + alignment - 1) / alignment * alignment;
  const std::int64_t used = std::accumulate(segments_.begin(), segments_.end(), steps,
                                            [](std::int64_t sum, const Segment& s) { return sum + s.steps; });
  if (used > most_steps)
    throw DataError(concat("bandwidth ", bandwidth_, " is too small for a column with isolated values over a range this wide"));
  segments_.push_back({first_step, steps, 0.0});
  Cells cells;
  cells.first = first_step / steps_per_cell;
  cells.cell.assign(static_cast<std::size_t>(steps / steps_per_cell), Moments{});
  cells.far.assign(static_cast<std::size_t>(steps + 1), Point{});
  cells_.push_back(std::move(cells));
}

void KdeSums::gather_dense(const double* x, std::size_t n, std::int64_t count) {
  std::vector<Moments> all(static_cast<std::size_t>(count), Moments{});
  const double per_cell = cells_per_bandwidth / bandwidth_;
  for (std::size_t i = 0; i < n; ++i) {
    const double r = (x[i] - origin_) * per_cell;
    const std::int64_t cell = std::min(static_cast<std::int64_t>(r), count - 1);
    add_row(all[static_cast<std::size_t>(cell)], (static_cast<double>(cell) + 0.5 - r) / cells_per_bandwidth);
  }
  // Runs of cells without a hole longer than both paddings become segments.
  for (std::int64_t first = 0; first < count;) {
    std::int64_t last = first;
    for (std::int64_t c = first + 1; c < count && (c - last) * steps_per_cell <= 2 * pad_steps + alignment; ++c)
      if (all[static_cast<std::size_t>(c)][0] > 0) last = c;
    open_segment(first, last);
    std::copy(all.begin() + first, all.begin() + last + 1, cells_.back().cell.begin() + (first - cells_.back().first));
    for (std::int64_t c = first; c <= last; ++c) segments_.back().mass += all[static_cast<std::size_t>(c)][0] / rows_;
    first = last + 1;
    while (first < count && all[static_cast<std::size_t>(first)][0] == 0) ++first;
  }
}

void KdeSums::gather_sparse(const double* x, std::size_t n) {
  std::vector<double> sorted(x, x + n);
  std::sort(sorted.begin(), sorted.end());
  const double per_cell = cells_per_bandwidth / bandwidth_;
  const auto cell_of = [&](double value) { return static_cast<std::int64_t>((value - origin_) * per_cell); };
  if ((sorted.back() - origin_) * per_cell > 0x1p51)
    throw DataError(concat("values from ", origin_, " to ", sorted.back(), " span more than 10¹⁴ bandwidths of ", bandwidth_,
                           ": remove the outlier or transform the column (for example by a logarithm)"));
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin + 1;
    while (end < n && (cell_of(sorted[end]) - cell_of(sorted[end - 1])) * steps_per_cell <= 2 * pad_steps + alignment) ++end;
    open_segment(cell_of(sorted[begin]), cell_of(sorted[end - 1]));
    Cells& cells = cells_.back();
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t cell = cell_of(sorted[i]);
      const double r = (sorted[i] - origin_) * per_cell;
      add_row(cells.cell[static_cast<std::size_t>(cell - cells.first)], (static_cast<double>(cell) + 0.5 - r) / cells_per_bandwidth);
    }
    segments_.back().mass = static_cast<double>(end - begin) / rows_;
    begin = end;
  }
}

/// Far cells to the left of every lattice point, from left to right. A cell is taken when its centre, at step 4c + 2,
/// falls near_steps + 1 behind; the padding makes sure that none is still near where a segment ends.
void KdeSums::sweep_up() {
  const FarTerms one_step = decay(1);
  FarSide side;
  std::int64_t at = 0;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    Cells& cells = cells_[s];
    const std::int64_t first = segments_[s].first_step;
    if (s > 0) side.move(decay(first - at));
    for (std::int64_t step = first; step <= first + segments_[s].steps; ++step) {
      if (step > first) side.move(one_step);
      const std::int64_t centre = step - near_steps - 1;
      const std::int64_t cell = (centre - half_cell) / steps_per_cell - cells.first;
      if ((centre - half_cell) % steps_per_cell == 0 && centre > first)
        side.take(cells.cell[static_cast<std::size_t>(cell)], +1);
      Point& far = cells.far[static_cast<std::size_t>(step - first)];
      far.lower += side.rows - side.tail();
      far.upper += side.tail();
      far.density += side.density();
    }
    at = first + segments_[s].steps;
  }
}

/// Far cells to the right of every lattice point, from right to left.
void KdeSums::sweep_down() {
  const FarTerms one_step = decay(1);
  FarSide side;
  std::int64_t at = 0;
  for (std::size_t s = segments_.size(); s-- > 0;) {
    Cells& cells = cells_[s];
    const std::int64_t first = segments_[s].first_step;
    const std::int64_t end = first + segments_[s].steps;
    if (s + 1 < segments_.size()) side.move(decay(at - end));
    for (std::int64_t step = end; step >= first; --step) {
      if (step < end) side.move(one_step);
      const std::int64_t centre = step + near_steps + 1;
      const std::int64_t cell = (centre - half_cell) / steps_per_cell - cells.first;
      if ((centre - half_cell) % steps_per_cell == 0 && centre < end)
        side.take(cells.cell[static_cast<std::size_t>(cell)], -1);
      Point& far = cells.far[static_cast<std::size_t>(step - first)];
      far.upper += side.rows - side.tail();
      far.lower += side.tail();
      far.density += side.density();
    }
    at = first;
  }
}

KdeSums::Point KdeSums::at(std::size_t segment, std::int64_t step) const {
  const Cells& cells = cells_[segment];
  const Taps& weights = taps();
  // Near cells c have |step − (4c + 2)| ≤ near_steps.
  const std::int64_t count = static_cast<std::int64_t>(cells.cell.size());
  const std::int64_t low = std::max<std::int64_t>(0, (step - near_steps) / steps_per_cell - cells.first - 1);
  const std::int64_t high = std::min<std::int64_t>(count - 1, (step + near_steps) / steps_per_cell - cells.first + 1);
  Moments lower{};
  Moments density{};
  double upper = 0;
  for (std::int64_t c = low; c <= high; ++c) {
    const std::int64_t q = step - ((cells.first + c) * steps_per_cell + half_cell);
    if (q < -near_steps || q > near_steps) continue;
    const Moments& m = cells.cell[static_cast<std::size_t>(c)];
    const auto i = static_cast<std::size_t>(q + near_steps);
    for (std::size_t k = 0; k < m.size(); ++k) {
      lower[k] += weights.lower[i][k] * m[k];
      density[k] += weights.density[i][k] * m[k];
    }
    upper += weights.upper[i] * m[0];
  }
  const double higher = std::accumulate(lower.begin() + 1, lower.end(), 0.0);
  const double slope = std::accumulate(density.begin(), density.end(), 0.0);
  const Point& far = cells.far[static_cast<std::size_t>(step - segments_[segment].first_step)];
  return {(far.lower + (lower[0] + higher)) / rows_, (far.upper + (upper - higher)) / rows_,
          (far.density + slope) / (rows_ * bandwidth_)};
}

}  // namespace gaussianize
