#include "gaussianize/marginal/kde.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/error.hpp"
#include "gaussianize/core/parallel.hpp"
#include "gaussianize/marginal/kde_sums.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/math/simd.hpp"

namespace gaussianize {
namespace {

constexpr std::int64_t cell_steps = KdeSums::alignment;  // a cell of the table is 2h
constexpr int finest_level = 4;                          // pieces of h/8, one lattice step
constexpr double tolerance = 2e-7;                       // on z, tested inside every piece

struct Knot {
  double value = 0.0;
  double slope = 0.0;
};

/// Chooses, cell by cell, the coarsest pieces on which Hermite's cubic follows z.
class SegmentTabulator {
 public:
  SegmentTabulator(const KdeSums& sums, std::size_t segment)
      : sums_(sums), segment_(segment), first_(sums.segments()[segment].first_step) {
    const auto points = static_cast<std::size_t>(sums.segments()[segment].steps + 1);
    knots_.resize(points);
    known_.assign(points, 0);
  }

  void append_to(MonotoneTable& table) {
    const std::int64_t cells = sums_.segments()[segment_].steps / cell_steps;
    table.segments.push_back({sums_.position(first_), sums_.position(first_ + cell_steps) - sums_.position(first_),
                              table.cell_knot.size(), static_cast<std::uint64_t>(cells)});
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const int level = coarsest_level(cell * cell_steps);
      table.cell_knot.push_back(static_cast<std::uint32_t>(table.position.size()));
      table.cell_level.push_back(static_cast<std::uint8_t>(level));
      const std::int64_t piece = cell_steps >> level;
      for (std::int64_t step = cell * cell_steps; step < (cell + 1) * cell_steps; step += piece) append(table, step);
    }
    append(table, cells * cell_steps);
  }

  KdeSums::Point end_point(bool upper) const {
    return sums_.at(segment_, first_ + (upper ? sums_.segments()[segment_].steps : 0));
  }

 private:
  const Knot& knot(std::int64_t step) {
    const auto i = static_cast<std::size_t>(step);
    if (!known_[i]) {
      const KdeSums::Point p = sums_.at(segment_, first_ + step);
      const double z = p.lower < p.upper ? normal_quantile(p.lower) : upper_normal_quantile(p.upper);
      knots_[i] = {z, p.density / normal_pdf(z)};
      known_[i] = 1;
    }
    return knots_[i];
  }

  void append(MonotoneTable& table, std::int64_t step) {
    table.position.push_back(sums_.position(first_ + step));
    table.value.push_back(knot(step).value);
    table.slope.push_back(knot(step).slope);
  }

  /// Is the cubic between two lattice points close to z at those in between? The quarter points see an error of either
  /// symmetry, which the middle alone would not.
  bool follows(std::int64_t begin, std::int64_t piece) {
    const Knot left = knot(begin);
    const Knot right = knot(begin + piece);
    const double width = static_cast<double>(piece) * sums_.bandwidth() / KdeSums::steps_per_bandwidth;
    for (std::int64_t step = std::max<std::int64_t>(1, piece / 4); step < piece; step += std::max<std::int64_t>(1, piece / 4)) {
      const double s = static_cast<double>(step) / static_cast<double>(piece);
      const double rise = right.value - left.value;
      const double hermite = left.value + s * s * (3 - 2 * s) * rise +
                             s * (1 - s) * width * ((1 - s) * left.slope - s * right.slope);
      if (!(std::abs(hermite - knot(begin + step).value) <= tolerance)) return false;
    }
    return true;
  }

  int coarsest_level(std::int64_t begin) {
    for (int level = 0; level < finest_level; ++level) {
      const std::int64_t piece = cell_steps >> level;
      bool good = true;
      for (std::int64_t step = 0; good && step < cell_steps; step += piece) good = follows(begin + step, piece);
      if (good) return level;
    }
    return finest_level;
  }

  const KdeSums& sums_;
  std::size_t segment_;
  std::int64_t first_;
  std::vector<Knot> knots_;
  std::vector<std::uint8_t> known_;
};

}  // namespace

arma::vec evenly_spaced(const double* x, std::size_t n, std::size_t count) {
  arma::vec chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = x[i * n / count];
  return chosen;
}

MonotoneTable tabulate_kde(const double* x, std::size_t n, double bandwidth) {
  const KdeSums sums(x, n, bandwidth);
  MonotoneTable table;
  table.bandwidth = bandwidth;
  for (std::size_t s = 0; s < sums.segments().size(); ++s) {
    SegmentTabulator tabulator(sums, s);
    tabulator.append_to(table);
    if (sums.segments()[s].mass > sums.segments()[table.main_segment].mass) table.main_segment = s;
    if (s == 0) {
      const KdeSums::Point p = tabulator.end_point(false);
      table.lower = {std::log(p.lower), p.density / p.lower};
    }
    if (s + 1 == sums.segments().size()) {
      const KdeSums::Point p = tabulator.end_point(true);
      table.upper = {std::log(p.upper), p.density / p.upper};
    }
  }
  limit_slopes(table);
  return table;
}

TabulatedMarginal fit_kde(const arma::mat& x, const KdeOptions& options) {
  require(x.n_rows >= 2 && x.n_cols >= 1, "fit_kde: ", x.n_rows, " × ", x.n_cols,
          " data; at least 2 rows and 1 column are needed");
  TabulatedMarginal marginal;
  marginal.columns.resize(x.n_cols);
  parallel_for(x.n_cols, options.threads, [&](std::size_t d) {
    const double* column = x.colptr(d);
    std::size_t n = x.n_rows;
    arma::vec chosen;
    if (options.max_rows > 0 && options.max_rows < n) {
      chosen = evenly_spaced(column, n, options.max_rows);
      column = chosen.memptr();
      n = chosen.n_elem;
    }
    try {
      marginal.columns[d] = tabulate_kde(column, n, select_bandwidth(column, n, options.bandwidth));
    } catch (const DataError& error) {
      throw DataError(concat("column ", d, ": ", error.what()));
    }
  });
  return marginal;
}

arma::vec leave_one_out_log_density(const MonotoneTable& table, const double* x, std::size_t n) {
  const auto rows = static_cast<double>(n);
  arma::vec z(n), slope(n);
  if (table.blend == 0) {
    evaluate(table, x, z.memptr(), slope.memptr(), n);
  } else {
    MonotoneTable plain = table;
    plain.blend = 0;
    evaluate(plain, x, z.memptr(), slope.memptr(), n);
  }
  // Row i's own kernel contributes σ′(0)/(N h) = 1/(4 N h) to f(x_i).
  const double own = 0.25 / table.bandwidth;
  for (std::size_t i = 0; i < n; ++i) {
    const double density = slope[i] * normal_pdf(z[i]);
    slope[i] = std::max(rows * density - own, 1e-7 * own) / (rows - 1);
  }
  simd().log(slope.memptr(), slope.memptr(), n);
  return slope;
}

}  // namespace gaussianize
