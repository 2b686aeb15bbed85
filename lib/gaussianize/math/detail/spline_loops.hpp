#pragma once

#include <cstddef>
#include <cstdint>

namespace gaussianize::detail {

/// Consecutive cells of equal width. Cell c begins at begin + c·width.
struct CellGrid {
  double begin = 0.0;
  double width = 1.0;
  double inverse_width = 1.0;
  double cells = 1.0;  ///< at most 2³⁰
};

/// y = keep·z + tilt·(x − shift): a map z(x) shrunk towards a straight line.
struct LinearShrinkage {
  double keep = 1.0;
  double tilt = 0.0;
  double shift = 0.0;
};

/// The cubic piece of each of n elements, by its two ends: those of element i are at 2i and 2i + 1.
struct HermiteEnds {
  const double* position = nullptr;
  const double* value = nullptr;
  const double* slope = nullptr;
};

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// Σ d and Σ d² of deviations from a centre.
struct DeviationSums {
  double sum = 0.0;
  double squares = 0.0;
};

/// The vector loops of spline maps and of kernel sums; see SimdLoops, of which they are a part. None uses a fused
/// operation, so all have the same bits in every table, those of the plain loop over elements.
struct SplineLoops {
  static constexpr std::size_t steps_per_cell = 16;
  static constexpr unsigned finest_level = 4;  ///< steps_per_cell = 2^finest_level
  static constexpr std::size_t moments = 8;

  /// Where x[i] is on the grid, in cells: u[i] = (x[i] − begin)·inverse_width, and step[i] = ⌊16 u[i]⌋. Unless
  /// 0 ≤ u < cells, they are −1 and 0; returns for how many of the n < 2³¹ elements.
  std::size_t (*locate)(const CellGrid& grid, const double* x, double* u, std::int32_t* step, std::size_t n);

  /// y and dy/dx of a shrunk map at x[i], which is at u[i] on the grid, from the Hermite cubic z of its piece: the one
  /// that holds it among the 2^level[i] equal pieces of its cell. Positions are not read. dz/dx is at least 1e-300.
  void (*hermite)(const CellGrid& grid, const LinearShrinkage& shrinkage, const HermiteEnds& ends,
                  const std::int32_t* level, const double* x, const double* u, double* y, double* slope, std::size_t n);

  /// x with y(x) = y[i] on the piece of element i, whose values are already shrunk and whose slopes are not. NaN where
  /// y[i] is not between the two values, or where two steps of Halley's method and one of Newton's have not converged;
  /// returns for how many of the n < 2³¹ elements. Elsewhere the cubic differs from y[i] only by rounding.
  std::size_t (*hermite_inverse)(const LinearShrinkage& shrinkage, const HermiteEnds& ends, const double* y, double* x,
                                 std::size_t n);

  /// index[i] = the largest k < count with sorted[k] ≤ y[i], 0 if there is none. O(n log count), without a branch on y.
  /// count is positive and fits 31 bits.
  void (*last_at_most)(const double* sorted, std::size_t count, const double* y, std::int32_t* index, std::size_t n);

  /// Adds vᵐ, m = 0 … 7, to the eight moments of x[i]'s cell c = ⌊r⌋ of `cells` (the last includes values beyond it),
  /// with r = (x[i] − begin)/width ≥ 0 and v = (c + ½ − r)/2; row by row, in order.
  void (*add_moments)(const CellGrid& grid, const double* x, std::size_t n, double* cells);

  /// first[m] = Σ_c a[8c + m]·cells[8c + m] and second[m] likewise with b, m = 0 … 7, over `count` cells in order.
  void (*weigh_moments)(const double* a, const double* b, const double* cells, std::size_t count, double* first,
                        double* second);

  /// The minimum and maximum of n ≥ 1 values.
  Range (*range)(const double* x, std::size_t n);

  /// Sums of d = x[i]·unit − centre.
  DeviationSums (*deviation_sums)(const double* x, std::size_t n, double unit, double centre);
};

}  // namespace gaussianize::detail
