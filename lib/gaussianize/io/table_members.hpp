#pragma once

#include <functional>

#include "gaussianize/marginal/table.hpp"

namespace gaussianize {

/// Names every stored member of MonotoneTable, for reading and writing alike: a new member is a new line here. Members
/// are to be used through std::invoke.
///
/// The tables of a layer are stored together. visitor.scalar(NAME, member) is a tensor of D numbers, one a column.
/// visitor.list(NAME, vector, field) joins `field` of all elements of `vector` of all columns into one tensor. Lists of
/// equal length are a group: visitor.group(NAME, vector), before them, is the tensor NAME.offsets, U64 [D + 1]: column
/// d has the elements from offsets[d] to before offsets[d + 1] of each.
template <class Visitor>
void visit_table_members(Visitor& visitor) {
  using Table = MonotoneTable;
  constexpr std::identity itself;

  visitor.group("segment", &Table::segments);
  visitor.list("segment.begin", &Table::segments, &TableSegment::begin);
  visitor.list("segment.cell_width", &Table::segments, &TableSegment::cell_width);
  visitor.list("segment.first_cell", &Table::segments, &TableSegment::first_cell);
  visitor.list("segment.cells", &Table::segments, &TableSegment::cells);

  visitor.group("cell", &Table::cell_knot);
  visitor.list("cell.knot", &Table::cell_knot, itself);
  visitor.list("cell.level", &Table::cell_level, itself);

  visitor.group("knot", &Table::position);
  visitor.list("knot.position", &Table::position, itself);
  visitor.list("knot.value", &Table::value, itself);
  visitor.list("knot.slope", &Table::slope, itself);

  const auto of = [](Tail Table::*tail, double Tail::*number) {
    return [=](auto& table) -> auto& {
      return table.*tail.*number;
    };
  };
  visitor.scalar("main_segment", &Table::main_segment);
  visitor.scalar("lower.log_mass", of(&Table::lower, &Tail::log_mass));
  visitor.scalar("lower.rate", of(&Table::lower, &Tail::rate));
  visitor.scalar("lower.shape", of(&Table::lower, &Tail::shape));
  visitor.scalar("upper.log_mass", of(&Table::upper, &Tail::log_mass));
  visitor.scalar("upper.rate", of(&Table::upper, &Tail::rate));
  visitor.scalar("upper.shape", of(&Table::upper, &Tail::shape));
  visitor.scalar("bandwidth", &Table::bandwidth);
  visitor.scalar("blend", &Table::blend);
  visitor.scalar("shift", &Table::shift);
  visitor.scalar("scale", &Table::scale);
}

}  // namespace gaussianize
