#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#pragma GCC visibility push(default)
namespace gaussianize {

/// A tail of a spline, beyond the outermost knot. Where it is straight, z goes on with the knot's value and
/// slope, which is a normal tail. Elsewhere z is the normal quantile of a generalised Pareto tail probability P, with
/// e = |x − knot|,
///
///   log P(x) = log_mass − log(1 + shape·rate·e)/shape,   or   log_mass − rate·e   where shape = 0.          (T2)
///
/// Shape 0 is the exponential tail of the logistic kernel; a positive one falls like x^{−1/shape}.
struct Tail {
  double log_mass = 0.0;      ///< log tail probability at the knot, negative
  double rate = 1.0;          ///< hazard at the knot, positive
  double shape = 0.0;         ///< in [0, 1]
  std::uint8_t straight = 0;  ///< 1: rate and shape are not used
};

/// A run of the axis cut into equal cells, each cell c into 2^cell_level[c] equal pieces.
struct SplineSegment {
  double begin = 0.0;            ///< left end of the first cell
  double cell_width = 1.0;       ///< positive
  std::uint64_t first_cell = 0;  ///< index of the first cell in cell_knot and cell_level
  std::uint64_t cells = 0;       ///< at least 1
};

/// An increasing C¹ function on the whole line,
///
///   y(x) = (1 − shrinkage)·z(x) + shrinkage·(x − shift)/scale.                                       (T1)
///
/// z is cubic Hermite between knots and straight, or the normal quantile of a tail probability (T2), beyond them. The
/// segments index the knots, so that a lookup inside one is arithmetic; the gap between two segments is one cubic.
/// Because y is the map itself, and not an approximation to be differentiated, its slope is exact and its inverse is
/// its inverse.
struct MonotoneSpline {
  std::vector<double> position;  ///< knots, increasing
  std::vector<double> value;     ///< z at the knots, non-decreasing
  std::vector<double> slope;     ///< dz/dx at the knots, positive
  std::vector<SplineSegment> segments;
  std::vector<std::uint32_t> cell_knot;  ///< the knot at each cell's left end
  std::vector<std::uint8_t> cell_level;  ///< at most 4
  std::uint64_t main_segment = 0;        ///< the one to look in first: of a kernel estimate, that of most data
  Tail lower, upper;
  double bandwidth = 0.0;  ///< of the kernel estimate that it was made from, for the record
  double shrinkage = 0.0;  ///< in [0, 1]
  double shift = 0.0;
  double scale = 1.0;  ///< positive
};

/// Throws std::invalid_argument, naming the member, unless the spline is an increasing function as described above:
/// sizes agree, cells index the knots without gap, knots lie on their grid, pieces increase, tails meet the outermost
/// knots. O(knots).
void check(const MonotoneSpline& spline);

/// y and dy/dx for n values of x. Does not check the spline. In the limit of no slope at all (deep inside a gap of a
/// spline without shrinkage) dy/dx is still positive, at least 1e-300. Vector loops, O(1) each, inside the main
/// segment; O(log knots), one by one, elsewhere. y may be x. An element has the same bits whatever surrounds it, and
/// inside the main segment with every instruction set.
void forward(const MonotoneSpline& spline, const double* x, double* y, double* slope, std::size_t n);

/// The inverse: the x with y(x) = y, for n values of y, to the rounding of y and x: a search for the piece, O(log
/// knots), and three steps of Halley's and Newton's methods in vector loops; the few that they do not settle, and the
/// tails, one by one. x may be y. An element has the same bits whatever surrounds it.
void inverse(const MonotoneSpline& spline, const double* y, double* x, std::size_t n);

/// Lowers slopes that would let a cubic overshoot [Fritsch & Carlson 1980], and raises vanishing ones to 1e-300, so
/// that every piece increases. Returns how many slopes it lowered.
std::size_t limit_slopes(MonotoneSpline& spline);

}  // namespace gaussianize
#pragma GCC visibility pop
