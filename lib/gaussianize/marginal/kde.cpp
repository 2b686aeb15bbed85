#include "gaussianize/marginal/kde.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/detail/kde_sums.hpp"
#include "gaussianize/math/detail/simd.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::int64_t cell_steps = KdeSums::alignment;  // a cell of the spline is 2h
constexpr int finest_level = 4;                          // pieces of h/8, one lattice step
constexpr double tolerance = 2e-7;                       // on z, tested inside every piece

/// Chooses, cell by cell, the coarsest pieces on which Hermite's cubic follows z.
class SegmentTabulator {
 public:
  SegmentTabulator(const KdeSums& sums, std::size_t segment)
      : sums_(sums),
        segment_(segment),
        value_(static_cast<std::size_t>(sums.segments()[segment].steps + 1)),
        slope_(value_.size()),
        level_(value_.size() / cell_steps) {
    choose_levels();
  }

  void append_to(MonotoneSpline& spline) const {
    const std::int64_t cells = sums_.segments()[segment_].steps / cell_steps;
    // The width as it is, not as the difference of two rounded positions: lookups multiply by it.
    const double cell_width = static_cast<double>(cell_steps) * (sums_.bandwidth() / KdeSums::steps_per_bandwidth);
    spline.segments.push_back(
        {sums_.position(segment_, 0), cell_width, spline.cell_knot.size(), static_cast<std::uint64_t>(cells)});
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const int level = level_[static_cast<std::size_t>(cell)];
      spline.cell_knot.push_back(static_cast<std::uint32_t>(spline.position.size()));
      spline.cell_level.push_back(static_cast<std::uint8_t>(level));
      const std::int64_t piece = cell_steps >> level;
      for (std::int64_t step = cell * cell_steps; step < (cell + 1) * cell_steps; step += piece) append(spline, step);
    }
    append(spline, cells * cell_steps);
  }

  KdeSums::Point end_point(bool upper) const {
    return sums_.at(segment_, upper ? sums_.segments()[segment_].steps : 0);
  }

 private:
  /// Looks at every fourth lattice point, where that does not suffice at every second, then at all: a piece is tested
  /// at its quarters. All cells together, for the vector loops.
  void choose_levels() {
    std::vector<std::int64_t> steps, open, left;
    for (std::int64_t cell = 0; cell < std::ssize(level_); ++cell) open.push_back(cell);
    steps.push_back(std::ssize(level_) * cell_steps);
    for (std::int64_t stride = cell_steps / 4; stride > 0 && !open.empty(); stride /= 2) {
      const bool all = stride == cell_steps / 4;
      for (const std::int64_t cell : open)
        for (std::int64_t step = all ? 0 : stride; step < cell_steps; step += all ? stride : 2 * stride)
          steps.push_back(cell * cell_steps + step);
      fill(steps);
      left.clear();
      for (const std::int64_t cell : open)
        if (!settle(cell, stride)) left.push_back(cell);
      open.swap(left);
      steps.clear();
    }
  }

  /// Sets the level of a cell whose lattice points are known at every `stride`-th, if they can tell.
  bool settle(std::int64_t cell, std::int64_t stride) {
    std::uint8_t& level = level_[static_cast<std::size_t>(cell)];
    for (; level < finest_level; ++level) {
      const std::int64_t piece = cell_steps >> level;
      if (piece / 4 < stride && stride > 1) return false;
      bool good = true;
      for (std::int64_t step = 0; good && step < cell_steps; step += piece)
        good = follows(cell * cell_steps + step, piece);
      if (good) return true;
    }
    return true;
  }

  /// z and dz/dx at lattice points.
  void fill(const std::vector<std::int64_t>& steps) {
    constexpr std::size_t strip = 256;
    std::array<double, strip> density, tail, pdf;
    std::array<bool, strip> is_lower;
    for (std::size_t begin = 0; begin < steps.size(); begin += strip) {
      const std::size_t count = std::min(strip, steps.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        const KdeSums::Point p = sums_.at(segment_, steps[begin + i]);
        is_lower[i] = p.lower < p.upper;
        tail[i] = std::min(p.lower, p.upper);
        density[i] = p.density;
      }
      simd().lower_quantile(tail.data(), tail.data(), count);
      for (std::size_t i = 0; i < count; ++i) pdf[i] = -0.5 * tail[i] * tail[i];
      simd().exp(pdf.data(), pdf.data(), count);
      for (std::size_t i = 0; i < count; ++i) {
        const auto step = static_cast<std::size_t>(steps[begin + i]);
        value_[step] = is_lower[i] ? tail[i] : -tail[i];
        slope_[step] = density[i] / (pdf[i] * (0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2));
      }
    }
  }

  void append(MonotoneSpline& spline, std::int64_t step) const {
    spline.position.push_back(sums_.position(segment_, step));
    spline.value.push_back(value_[static_cast<std::size_t>(step)]);
    spline.slope.push_back(slope_[static_cast<std::size_t>(step)]);
  }

  /// Is the cubic between two lattice points close to z at those in between? The quarter points see an error of either
  /// symmetry, which the middle alone would not.
  bool follows(std::int64_t begin, std::int64_t piece) const {
    const double* value = value_.data() + begin;
    const double* slope = slope_.data() + begin;
    const double width = static_cast<double>(piece) * sums_.bandwidth() / KdeSums::steps_per_bandwidth;
    const double rise = value[piece] - value[0];
    const std::int64_t stride = std::max<std::int64_t>(1, piece / 4);
    for (std::int64_t step = stride; step < piece; step += stride) {
      const double s = static_cast<double>(step) / static_cast<double>(piece);
      const double hermite =
          value[0] + s * s * (3 - 2 * s) * rise + s * (1 - s) * width * ((1 - s) * slope[0] - s * slope[piece]);
      if (!(std::abs(hermite - value[step]) <= tolerance)) return false;
    }
    return true;
  }

  const KdeSums& sums_;
  std::size_t segment_;
  std::vector<double> value_, slope_;  // z and dz/dx at the lattice points
  std::vector<std::uint8_t> level_;    // of the cells
};

}  // namespace

arma::vec evenly_spaced(const double* x, std::size_t n, std::size_t count) {
  arma::vec chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = x[i * n / count];
  return chosen;
}

MonotoneSpline kde_spline(const double* x, std::size_t n, double bandwidth) {
  const KdeSums sums(x, n, bandwidth);
  MonotoneSpline spline;
  spline.bandwidth = bandwidth;
  for (std::size_t s = 0; s < sums.segments().size(); ++s) {
    SegmentTabulator tabulator(sums, s);
    tabulator.append_to(spline);
    if (sums.segments()[s].mass > sums.segments()[spline.main_segment].mass) spline.main_segment = s;
    if (s == 0) {
      const KdeSums::Point p = tabulator.end_point(false);
      spline.lower = {std::log(p.lower), p.density / p.lower};
    }
    if (s + 1 == sums.segments().size()) {
      const KdeSums::Point p = tabulator.end_point(true);
      spline.upper = {std::log(p.upper), p.density / p.upper};
    }
  }
  limit_slopes(spline);
  return spline;
}

MonotoneSpline fit_kde_column(const double* x, std::size_t n, const KdeOptions& options) {
  arma::vec chosen;
  if (options.max_rows > 0 && options.max_rows < n) {
    chosen = evenly_spaced(x, n, options.max_rows);
    x = chosen.memptr();
    n = chosen.n_elem;
  }
  return kde_spline(x, n, select_bandwidth(x, n, options.bandwidth));
}

SplineMarginal fit_kde(const arma::mat& x, const KdeOptions& options) {
  require(x.n_rows >= 2 && x.n_cols >= 1, "fit_kde: ", x.n_rows, " × ", x.n_cols,
          " data; at least 2 rows and 1 column are needed");
  SplineMarginal marginal;
  marginal.columns.resize(x.n_cols);
  parallel_for_columns(x.n_cols, options.threads,
                       [&](std::size_t d) { marginal.columns[d] = fit_kde_column(x.colptr(d), x.n_rows, options); });
  return marginal;
}

arma::vec leave_one_out_log_density(const MonotoneSpline& spline, const double* x, std::size_t n) {
  const auto rows = static_cast<double>(n);
  arma::vec z(n), slope(n);
  if (spline.shrinkage == 0) {
    forward(spline, x, z.memptr(), slope.memptr(), n);
  } else {
    MonotoneSpline plain = spline;
    plain.shrinkage = 0;
    forward(plain, x, z.memptr(), slope.memptr(), n);
  }
  // Row i's own kernel contributes σ′(0)/(N h) = 1/(4 N h) to f(x_i). Below the least share the difference is noise,
  // whose logarithm would decide the mean.
  constexpr double min_share = 5e-4;
  const double own = 0.25 / spline.bandwidth;
  for (std::size_t i = 0; i < n; ++i) {
    const double density = slope[i] * normal_pdf(z[i]);
    slope[i] = std::max(rows * density - own, min_share * own) / (rows - 1);
  }
  simd().log(slope.memptr(), slope.memptr(), n);
  return slope;
}

}  // namespace gaussianize
