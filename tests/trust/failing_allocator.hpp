#pragma once

#include <cstddef>

/// Memory that runs out on demand. A program that links failing_allocator.cpp gets its malloc family from there: once
/// armed, one allocation of any thread, counted from then on, is refused as if there were no memory.
namespace gaussianize::testing {

/// Refuses allocation number `index` (0 is the next). Later ones succeed again.
void refuse_allocation(std::size_t index);

/// Ends it; returns whether the allocation was reached and refused.
bool stop_refusing();

}  // namespace gaussianize::testing
