#include "gaussianize/core/execution.hpp"

#include "gaussianize/core/error.hpp"

namespace gaussianize {

void for_each_block(std::size_t rows, const Execution& execution, const std::function<void(RowRange)>& body) {
  const std::size_t blocks = block_count(rows);
  // Without a listener there is nothing to come back for between one block and the last.
  const std::size_t stride =
      execution.progress ? std::max<std::size_t>(16, blocks / 100) : std::max<std::size_t>(1, blocks);
  const BlasGuard blas;
  for (std::size_t first = 0; first < blocks; first += stride) {
    const std::size_t count = std::min(stride, blocks - first);
    parallel_for(count, execution.threads, [&](std::size_t i) { body(block_range(first + i, rows)); });
    if (!execution.progress) continue;
    if (!execution.progress({std::min(rows, (first + count) * rows_per_block), rows, {}})) throw Cancelled();
  }
}

}  // namespace gaussianize
