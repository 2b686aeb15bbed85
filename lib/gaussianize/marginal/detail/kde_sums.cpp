#include "gaussianize/marginal/detail/kde_sums.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/math/detail/simd.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::int64_t steps_per_cell = 4;
constexpr std::int64_t half_cell = steps_per_cell / 2;
constexpr double cells_per_bandwidth = 2;
constexpr std::int64_t pad_cells = KdeSums::pad_steps / steps_per_cell;
constexpr std::int64_t near_steps = 32;  // |t| ≤ 4
constexpr int far_terms = 5;  // relative error e^{−19.4} for a row at |t| = 3.9, as near as a far cell's can be
constexpr std::int64_t max_steps = 100'000'000;
constexpr double max_dense_cells = 0x1p30;

double step_t(std::int64_t steps) {
  return static_cast<double>(steps) / KdeSums::steps_per_bandwidth;
}

/// Lattice steps of a segment with `cells` cells of rows, padding included.
std::int64_t segment_steps(std::int64_t cells) {
  const std::int64_t steps = cells * steps_per_cell + 2 * KdeSums::pad_steps;
  return (steps + KdeSums::alignment - 1) / KdeSums::alignment * KdeSums::alignment;
}

/// σ^{(m)}(t)/m! for m = 0 … 8. Each derivative is a polynomial in p = σ(t)σ(−t) = σ′, times d = σ(−t) − σ(t) for even
/// m: it follows from p′ = p d and d′ = −2p.
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

/// A lattice point l steps into its segment is near the cells from (l + 1)/4 − 8 on, at first 29 … 32 steps off, then
/// 4 less with every cell.
constexpr std::int64_t near_cells = 2 * near_steps / steps_per_cell + 1;
constexpr std::int64_t cells_before = near_steps / steps_per_cell;

std::int64_t first_near_cell(std::int64_t l) {
  return (l + 1) / steps_per_cell - cells_before;
}

/// Weights of the near cells' moments in the three sums, in the order of the cells.
struct Taps {
  std::array<KdeSums::Moments, near_cells> lower{}, density{};
  std::array<double, near_cells> upper{};  // order 0; the higher orders are those of `lower`, negated
  std::int64_t cells = 0;
};

Taps taps_of(std::int64_t phase) {
  Taps t;
  for (std::int64_t q = phase - first_near_cell(phase) * steps_per_cell - half_cell; q >= -near_steps;
       q -= steps_per_cell) {
    const auto taylor = sigmoid_taylor(step_t(q));
    const auto i = static_cast<std::size_t>(t.cells++);
    for (std::size_t m = 0; m < KdeSums::moments; ++m) {
      t.lower[i][m] = taylor[m];
      t.density[i][m] = static_cast<double>(m + 1) * taylor[m + 1];
    }
    t.upper[i] = sigmoid_taylor(step_t(-q))[0];
  }
  return t;
}

/// The weights for a lattice point l steps into its segment.
const Taps& taps(std::int64_t l) {
  static const std::array<Taps, steps_per_cell> table = {taps_of(0), taps_of(1), taps_of(2), taps_of(3)};
  return table[static_cast<std::size_t>(l % steps_per_cell)];
}

using FarTerms = std::array<double, far_terms>;

/// e^{−k t}, k = 1 … far_terms.
FarTerms decay(double t) {
  FarTerms terms{};
  for (int k = 1; k <= far_terms; ++k) terms[static_cast<std::size_t>(k - 1)] = std::exp(-k * t);
  return terms;
}

/// Weights w_mk with which Σ_m w_mk Σ vᵐ is a cell's Σ e^{−k|t_i|} when it enters the far side, from Σ_i e^{k v_i} =
/// Σ_m kᵐ/m! Σ_i v_iᵐ, v = (centre − x_i)/h. `sign` is +1 where the cell lies to the left.
std::array<FarTerms, KdeSums::moments> entry_weights(double sign) {
  std::array<FarTerms, KdeSums::moments> weights{};
  weights[0] = decay(step_t(near_steps + 1));
  for (std::size_t m = 1; m < KdeSums::moments; ++m)
    for (std::size_t i = 0; i < far_terms; ++i)
      weights[m][i] = weights[m - 1][i] * (-sign * static_cast<double>(i + 1) / static_cast<double>(m));
  return weights;
}

/// The far cells on one side of a moving lattice point: Σ e^{−k|t_i|}, k = 1 … far_terms, and how many rows.
struct FarSide {
  std::array<FarTerms, KdeSums::moments> entry;
  FarTerms sum{};
  double rows = 0.0;

  explicit FarSide(double sign) : entry(entry_weights(sign)) {}

  void move(const FarTerms& factor) {
    for (std::size_t k = 0; k < far_terms; ++k) sum[k] *= factor[k];
  }
  /// The cell that has just left the near window.
  void take(const KdeSums::Moments& moments) {
    if (moments[0] == 0) return;
    for (std::size_t m = 0; m < KdeSums::moments; ++m)
      for (std::size_t k = 0; k < far_terms; ++k) sum[k] += entry[m][k] * moments[m];
    rows += moments[0];
  }
  /// Σ σ(−|t_i|) and Σ σ′(t_i).
  double tail() const { return sum[0] - sum[1] + sum[2] - sum[3] + sum[4]; }
  double density() const { return sum[0] - 2 * sum[1] + 3 * sum[2] - 4 * sum[3] + 5 * sum[4]; }
};

void add_row(KdeSums::Moments& moments, double v) {
  const double v2 = v * v;
  const double v4 = v2 * v2;
  const std::array<double, KdeSums::moments> powers = {1, v, v2, v * v2, v4, v * v4, v2 * v4, v * v2 * v4};
  for (std::size_t m = 0; m < powers.size(); ++m) moments[m] += powers[m];
}

}  // namespace

double KdeSums::min_bandwidth(const double* x, std::size_t n) {
  const Range range = simd().spline.range(x, n);
  const double reach = std::max(std::abs(range.low), std::abs(range.high));
  // Twice what the constructor asks for, since the padding may take the reach to the next power of two. Isolated rows
  // take more points than their padding only if they are many.
  const double precision = 16 * steps_per_bandwidth * (std::nextafter(reach, HUGE_VAL) - reach);
  const bool many = static_cast<double>(n) * static_cast<double>(segment_steps(1)) > static_cast<double>(max_steps);
  return many ? std::max(precision, (range.high - range.low) * cells_per_bandwidth * steps_per_cell /
                                        static_cast<double>(max_steps))
              : precision;
}

KdeSums::KdeSums(const double* x, std::size_t n, double bandwidth)
    : bandwidth_(bandwidth), rows_(static_cast<double>(n)) {
  require(n > 0 && bandwidth > 0, "KdeSums: ", n, " rows and bandwidth ", bandwidth, "; both must be positive");
  const Range range = simd().spline.range(x, n);
  origin_ = range.low;
  const double reach = std::max(std::abs(range.low), std::abs(range.high)) + 20 * bandwidth;
  const double span = (range.high - range.low) / bandwidth * cells_per_bandwidth;
  // Eight roundings fit into a lattice step, so that knots stay apart and in order.
  if (!(bandwidth / steps_per_bandwidth >= 8 * (std::nextafter(reach, HUGE_VAL) - reach))) {
    if (span > 1e9)
      throw DataError(concat("values from ", range.low, " to ", range.high, " span more than 10⁹ bandwidths of ",
                             bandwidth, ": remove the outlier or transform the column (for example by a logarithm)"));
    throw DataError(concat("bandwidth ", bandwidth, " is below the precision of values of size ", reach,
                           ": the column is constant but for rounding; drop it or subtract its mean"));
  }
  if (span < std::min(4 * rows_ + 4096, max_dense_cells))
    gather_dense(x, n, static_cast<std::int64_t>(span) + 1);
  else
    gather_sparse(x, n);
  sweep_up();
  sweep_down();
}

/// Adds a segment for `count` cells from `low` on (padding not counted), with room for its moments.
KdeSums::Cells& KdeSums::open_segment(double low, std::int64_t count) {
  const std::int64_t steps = segment_steps(count);
  segments_.push_back({low - static_cast<double>(pad_steps) * (bandwidth_ / steps_per_bandwidth), steps, 0.0});
  Cells cells;
  cells.cell.assign(static_cast<std::size_t>(steps / steps_per_cell), Moments{});
  cells.far.assign(static_cast<std::size_t>(steps + 1), Point{});
  return cells_.emplace_back(std::move(cells));
}

/// From the last lattice point of the segment before to the first of this one, in bandwidths.
double KdeSums::gap(std::size_t segment) const {
  return (segments_[segment].begin - position(segment - 1, segments_[segment - 1].steps)) / bandwidth_;
}

void KdeSums::gather_dense(const double* x, std::size_t n, std::int64_t count) {
  std::vector<Moments> all(static_cast<std::size_t>(count), Moments{});
  const CellGrid grid{origin_, bandwidth_ / cells_per_bandwidth, cells_per_bandwidth / bandwidth_,
                      static_cast<double>(count)};
  simd().spline.add_moments(grid, x, n, all.front().data());
  // Runs of cells without a hole longer than both paddings become segments.
  for (std::int64_t first = 0; first < count;) {
    std::int64_t last = first;
    for (std::int64_t c = first + 1; c < count && (c - last) * steps_per_cell <= 2 * pad_steps + alignment; ++c)
      if (all[static_cast<std::size_t>(c)][0] > 0) last = c;
    Cells& cells = open_segment(origin_ + static_cast<double>(first) * grid.width, last - first + 1);
    std::copy(all.begin() + first, all.begin() + last + 1, cells.cell.begin() + pad_cells);
    for (std::int64_t c = first; c <= last; ++c) segments_.back().mass += all[static_cast<std::size_t>(c)][0] / rows_;
    first = last + 1;
    while (first < count && all[static_cast<std::size_t>(first)][0] == 0) ++first;
  }
}

void KdeSums::gather_sparse(const double* x, std::size_t n) {
  std::vector<double> sorted(x, x + n);
  std::sort(sorted.begin(), sorted.end());
  const double per_cell = cells_per_bandwidth / bandwidth_;
  // Each segment's padding is rounded up to the alignment, and its last row may lie at the start of its cell.
  const double farthest = static_cast<double>(2 * pad_steps + alignment + steps_per_cell) / steps_per_cell;
  const auto cells_between = [&](std::size_t first, std::size_t last) {
    return static_cast<std::int64_t>((sorted[last] - sorted[first]) * per_cell) + 1;
  };
  std::vector<std::size_t> starts{0};
  std::int64_t total = 0;
  for (std::size_t i = 1; i <= n; ++i) {
    if (i < n && (sorted[i] - sorted[i - 1]) * per_cell <= farthest) continue;
    // Known before anything of that size is asked of the memory.
    total += segment_steps(cells_between(starts.back(), i - 1));
    starts.push_back(i);
  }
  if (total > max_steps)
    throw DataError(concat("bandwidth ", bandwidth_, " is too small for a column with ", starts.size() - 1,
                           " groups of isolated values: it would need ", total, " points"));
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const double low = sorted[starts[s]];
    Cells& cells = open_segment(low, cells_between(starts[s], starts[s + 1] - 1));
    for (std::size_t i = starts[s]; i < starts[s + 1]; ++i) {
      const double r = (sorted[i] - low) * per_cell;
      const auto cell = static_cast<std::size_t>(r);
      add_row(cells.cell[cell + pad_cells], (static_cast<double>(cell) + 0.5 - r) / cells_per_bandwidth);
    }
    segments_.back().mass = static_cast<double>(starts[s + 1] - starts[s]) / rows_;
  }
}

/// Far cells to the left of every lattice point, from left to right. A cell is taken when its centre, at step 4c + 2,
/// falls near_steps + 1 behind; the padding makes sure that none is still near where a segment ends.
void KdeSums::sweep_up() {
  const FarTerms one_step = decay(step_t(1));
  FarSide side(+1);
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    Cells& cells = cells_[s];
    if (s > 0) side.move(decay(gap(s)));
    for (std::int64_t step = 0; step <= segments_[s].steps; ++step) {
      if (step > 0) side.move(one_step);
      const std::int64_t from_first = step - near_steps - 1 - half_cell;
      if (from_first >= 0 && from_first % steps_per_cell == 0)
        side.take(cells.cell[static_cast<std::size_t>(from_first / steps_per_cell)]);
      Point& far = cells.far[static_cast<std::size_t>(step)];
      far.lower += side.rows - side.tail();
      far.upper += side.tail();
      far.density += side.density();
    }
  }
}

/// Far cells to the right of every lattice point, from right to left.
void KdeSums::sweep_down() {
  const FarTerms one_step = decay(step_t(1));
  FarSide side(-1);
  for (std::size_t s = segments_.size(); s-- > 0;) {
    Cells& cells = cells_[s];
    const std::int64_t end = segments_[s].steps;
    if (s + 1 < segments_.size()) side.move(decay(gap(s + 1)));
    for (std::int64_t step = end; step >= 0; --step) {
      if (step < end) side.move(one_step);
      const std::int64_t from_first = step + near_steps + 1 - half_cell;
      if (from_first < end && from_first % steps_per_cell == 0)
        side.take(cells.cell[static_cast<std::size_t>(from_first / steps_per_cell)]);
      Point& far = cells.far[static_cast<std::size_t>(step)];
      far.upper += side.rows - side.tail();
      far.lower += side.tail();
      far.density += side.density();
    }
  }
}

KdeSums::Point KdeSums::at(std::size_t segment, std::int64_t step) const {
  const Cells& cells = cells_[segment];
  const Taps& weights = taps(step);
  // Near the ends of a segment, some of the near cells are beyond it, and empty.
  const std::int64_t first = first_near_cell(step);
  const std::int64_t low = std::max<std::int64_t>(0, -first);
  const std::int64_t high = std::min(weights.cells, static_cast<std::int64_t>(cells.cell.size()) - first);
  Moments lower{};
  Moments density{};
  double upper = 0;
  if (low < high) {
    const Moments* cell = cells.cell.data() + (first + low);
    const auto count = static_cast<std::size_t>(high - low);
    simd().spline.weigh_moments(weights.lower[static_cast<std::size_t>(low)].data(),
                                weights.density[static_cast<std::size_t>(low)].data(), cell->data(), count,
                                lower.data(), density.data());
    for (std::size_t c = 0; c < count; ++c) upper += weights.upper[static_cast<std::size_t>(low) + c] * cell[c][0];
  }
  const double higher = std::accumulate(lower.begin() + 1, lower.end(), 0.0);
  const double slope = std::accumulate(density.begin(), density.end(), 0.0);
  const Point& far = cells.far[static_cast<std::size_t>(step)];
  return {(far.lower + (lower[0] + higher)) / rows_, (far.upper + (upper - higher)) / rows_,
          (far.density + slope) / (rows_ * bandwidth_)};
}

}  // namespace gaussianize::detail
