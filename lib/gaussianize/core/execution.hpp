#pragma once

#include <cstddef>
#include <functional>

#include "gaussianize/core/parallel.hpp"
#include "gaussianize/core/progress.hpp"

namespace gaussianize {

/// How an operation on many rows is carried out. Neither field changes a bit of the result.
struct Execution {
  int threads = 0;  ///< 0: one per hardware thread
  ProgressCallback progress = {};
};

/// Calls body for every block of `rows_per_block` rows, in parallel, and reports progress in rows now and then. Throws
/// Cancelled if the callback asks for it. BLAS stays on one thread throughout.
void for_each_block(std::size_t rows, const Execution& execution, const std::function<void(RowRange)>& body);

}  // namespace gaussianize
