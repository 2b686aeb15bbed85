#include "gaussianize/marginal/detail/check_sizes.hpp"

#include "gaussianize/core/detail/in_context.hpp"

namespace gaussianize::detail {
namespace {

void check_shape(const arma::mat& block, const arma::mat& mu, const char* name) {
  require(arma::size(block) == arma::size(mu), "logistic mixture: ", name, " is ", block.n_rows, "×", block.n_cols,
          "; it must be ", mu.n_rows, "×", mu.n_cols, ", as mu is");
}

}  // namespace

void check_sizes(const AffineMarginal& marginal) {
  require(marginal.shift.n_elem > 0 && marginal.shift.n_elem == marginal.scale.n_elem, "affine: shift has ",
          marginal.shift.n_elem, " numbers and scale ", marginal.scale.n_elem, "; each needs one per dimension");
}

void check_sizes(const MonotoneSpline& s) {
  const std::size_t knots = s.position.size(), cells = s.cell_knot.size();
  require(knots >= 2, "spline: position has ", knots, " knots; it needs two or more");
  require(knots < std::size_t{1} << 31, "spline: position has ", knots, " knots; it may have 2³¹ − 1");
  require(s.value.size() == knots, "spline: value has ", s.value.size(), " numbers for ", knots, " knots");
  require(s.slope.size() == knots, "spline: slope has ", s.slope.size(), " numbers for ", knots, " knots");
  require(s.cell_level.size() == cells, "spline: cell_level has ", s.cell_level.size(), " entries for ", cells,
          " cells in cell_knot");
  require(!s.segments.empty(), "spline: segments is empty; there must be one");
  require(s.main_segment < s.segments.size(), "spline: main_segment is ", s.main_segment, "; there is no such segment");
  const SplineSegment& main = s.segments[s.main_segment];
  require(main.cells >= 1 && main.first_cell < cells && main.cells <= cells - main.first_cell, "spline: segments[",
          s.main_segment, "] has ", main.cells, " cells from cell ", main.first_cell, " of ", cells);
}

void check_sizes(const SplineMarginal& marginal) {
  require(!marginal.columns.empty(), "spline: there is no column");
  for (std::size_t d = 0; d < marginal.columns.size(); ++d)
    in_context([&] { check_sizes(marginal.columns[d]); }, "column ", d);
}

void check_sizes(const LogisticMixture& mixture) {
  require(!mixture.mu.is_empty(), "logistic mixture: mu is ", mixture.mu.n_rows, "×", mixture.mu.n_cols,
          "; give every dimension at least one kernel");
  check_shape(mixture.log_scale, mixture.mu, "log_scale");
  if (mixture.logit.n_rows != 0 || mixture.logit.n_cols != 0)
    check_shape(mixture.logit, mixture.mu, "logit, unless it is 0×0,");
}

void check_sizes(const LogisticToNormal& map) {
  require(map.dimension > 0, "logistic to normal: the dimension is 0; it must be at least 1");
}

}  // namespace gaussianize::detail
