#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gaussianize::detail {

/// The logistic kernel estimate of one column, at the points of a lattice: lower and upper tail and density,
///
///   F(x) = (1/N) Σ σ(t_i),   S(x) = (1/N) Σ σ(−t_i),   f(x) = (1/(N h)) Σ σ′(t_i),   t_i = (x − x_i)/h,   (K1)
///
/// each tail to a relative error below 5e-9 and the density below 3e-8, in O(N + points) instead of O(N·points). Rows
/// are gathered into cells of width h/2, each kept as eight moments about its centre. Near a lattice point (|t| ≤ 4)
/// the cells enter by the Taylor series of σ, with weights that are the same everywhere because the lattice (step h/8)
/// and the cells are aligned; farther off by σ(−t) = e^{−t} − e^{−2t} + …, whose terms are swept along the axis.
class KdeSums {
 public:
  static constexpr std::size_t moments = 8;
  /// Σ vᵐ over a cell's rows, v = (centre − x)/h, m = 0 … 7; one line of the cache.
  struct alignas(64) Moments : std::array<double, moments> {};
  static constexpr std::int64_t steps_per_bandwidth = 8;
  static constexpr std::int64_t pad_steps = 20 * steps_per_bandwidth;  ///< lattice kept around the data: 20 h
  static constexpr std::int64_t alignment = 2 * steps_per_bandwidth;   ///< segments are whole multiples of 2 h

  struct Point {
    double lower = 0.0, upper = 0.0, density = 0.0;
  };

  /// A run of lattice points around data; rows of different segments are farther apart than twice the padding. Its
  /// lattice starts at its own lowest row, so that a far outlier costs the other segments no digits.
  struct Segment {
    double begin = 0.0;      ///< where lattice point 0 is
    std::int64_t steps = 0;  ///< a multiple of `alignment`; lattice points are 0 … steps
    double mass = 0.0;       ///< share of the rows
  };

  /// x: n ≥ 1 finite values; h > 0. Throws DataError if h is so small that the lattice cannot be told from x in double
  /// precision, or that isolated rows would need more than 10⁸ points.
  KdeSums(const double* x, std::size_t n, double bandwidth);

  /// From here on h is accepted for these values; not much less is.
  static double min_bandwidth(const double* x, std::size_t n);

  const std::vector<Segment>& segments() const { return segments_; }
  double bandwidth() const { return bandwidth_; }

  /// Where a lattice point of a segment is.
  double position(std::size_t segment, std::int64_t step) const {
    return segments_[segment].begin + static_cast<double>(step) * (bandwidth_ / steps_per_bandwidth);
  }

  /// (K1) at lattice point `step` of segment `segment`.
  Point at(std::size_t segment, std::int64_t step) const;

 private:
  struct Cells {
    std::vector<Moments> cell;  // every cell of the segment, the padding's included
    std::vector<Point> far;     // contribution of the far cells, one per lattice point
  };

  void gather_dense(const double* x, std::size_t n, std::int64_t cells);
  void gather_sparse(const double* x, std::size_t n);
  Cells& open_segment(double low, std::int64_t cells);
  double gap(std::size_t segment) const;
  void sweep_up();
  void sweep_down();

  double origin_ = 0.0;
  double bandwidth_ = 1.0;
  double rows_ = 0.0;
  std::vector<Segment> segments_;
  std::vector<Cells> cells_;
};

}  // namespace gaussianize::detail
