#pragma once

#include <functional>

#include "gaussianize/marginal/monotone_spline.hpp"

namespace gaussianize::detail {

/// Names every stored member of MonotoneSpline, for reading and writing alike: a new member is a new line here. Members
/// are to be used through std::invoke.
///
/// The splines of a layer are stored together. visitor.scalar(NAME, member) is a tensor of D numbers, one a column.
/// visitor.list(NAME, vector, field) joins `field` of all elements of `vector` of all columns into one tensor. Lists of
/// equal length are a group: visitor.group(NAME, vector), before them, is the tensor NAME.offsets, U64 [D + 1]: column
/// d has the elements from offsets[d] to before offsets[d + 1] of each.
///
/// Splines whose tails are all curved, as those of every file of format version 1, have no members `straight`.
template <class Visitor>
void visit_spline_members(Visitor& visitor, bool straight_tails) {
  using Members = MonotoneSpline;
  constexpr std::identity itself;

  visitor.group("segment", &Members::segments);
  visitor.list("segment.begin", &Members::segments, &SplineSegment::begin);
  visitor.list("segment.cell_width", &Members::segments, &SplineSegment::cell_width);
  visitor.list("segment.first_cell", &Members::segments, &SplineSegment::first_cell);
  visitor.list("segment.cells", &Members::segments, &SplineSegment::cells);

  visitor.group("cell", &Members::cell_knot);
  visitor.list("cell.knot", &Members::cell_knot, itself);
  visitor.list("cell.level", &Members::cell_level, itself);

  visitor.group("knot", &Members::position);
  visitor.list("knot.position", &Members::position, itself);
  visitor.list("knot.value", &Members::value, itself);
  visitor.list("knot.slope", &Members::slope, itself);

  const auto of = [](Tail Members::*tail, auto Tail::*number) {
    return [=](auto& spline) -> auto& {
      return spline.*tail.*number;
    };
  };
  visitor.scalar("main_segment", &Members::main_segment);
  visitor.scalar("lower.log_mass", of(&Members::lower, &Tail::log_mass));
  visitor.scalar("lower.rate", of(&Members::lower, &Tail::rate));
  visitor.scalar("lower.shape", of(&Members::lower, &Tail::shape));
  visitor.scalar("upper.log_mass", of(&Members::upper, &Tail::log_mass));
  visitor.scalar("upper.rate", of(&Members::upper, &Tail::rate));
  visitor.scalar("upper.shape", of(&Members::upper, &Tail::shape));
  if (straight_tails) {
    visitor.scalar("lower.straight", of(&Members::lower, &Tail::straight));
    visitor.scalar("upper.straight", of(&Members::upper, &Tail::straight));
  }
  visitor.scalar("bandwidth", &Members::bandwidth);
  visitor.scalar("blend", &Members::shrinkage);
  visitor.scalar("shift", &Members::shift);
  visitor.scalar("scale", &Members::scale);
}

}  // namespace gaussianize::detail
