#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/core/execution.hpp"

namespace gaussianize::detail {

/// Rows are processed in blocks of this size, whatever the number of threads, so that no bit of a result depends on
/// that number.
inline constexpr std::size_t rows_per_block = 256;

/// A half-open range of rows.
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

/// The number of blocks of `rows` rows, and the rows of one block.
constexpr std::size_t block_count(std::size_t rows, std::size_t block = rows_per_block) {
  return (rows + block - 1) / block;
}
constexpr RowRange block_range(std::size_t index, std::size_t rows, std::size_t block = rows_per_block) {
  return {index * block, std::min(rows, (index + 1) * block)};
}

/// The number of threads for an option `threads`: 0 is one per hardware thread. Throws if it is negative.
std::size_t resolve_threads(int threads);

/// The one threading primitive: calls body(0), …, body(count − 1), each once, on up to `threads` threads (the caller's
/// among them) that take the next index from a counter. BLAS is held to one thread meanwhile. If bodies throw,
/// the exception of the lowest index is rethrown, as a serial loop would.
void parallel_for(std::size_t count, int threads, const std::function<void(std::size_t)>& body);

/// parallel_for over the columns of a table; a DataError that `body(d)` throws gets the column in its message.
template <class Body>
void parallel_for_columns(std::size_t columns, int threads, Body body) {
  parallel_for(columns, threads, [&](std::size_t d) {
    try {
      body(d);
    } catch (const DataError& error) {
      throw DataError(concat("column ", d, ": ", error.what()));
    }
  });
}

/// Calls body for every block of `rows_per_block` rows, in parallel, and reports progress in rows. Throws Cancelled if
/// the callback stops it. BLAS stays on one thread throughout.
void for_each_block(std::size_t rows, const Execution& execution, const std::function<void(RowRange)>& body);

/// Sums `parts` in a fixed binary tree: part i takes part i + stride for stride = 1, 2, 4, …. The tree depends
/// only on the number of parts, so the rounding does too. `add(a, b)` performs a += b. Requires at least one part.
template <class T, class Add>
T tree_sum(std::vector<T> parts, Add add) {
  for (std::size_t stride = 1; stride < parts.size(); stride *= 2)
    for (std::size_t i = 0; i + stride < parts.size(); i += 2 * stride) add(parts[i], parts[i + stride]);
  return std::move(parts.front());
}

/// Maps every block of rows to a T on up to `threads` threads and adds the results in the fixed tree.
/// `map(RowRange)` returns a T. Requires rows > 0.
template <class T, class Map, class Add>
T reduce_rows(std::size_t rows, int threads, Map map, Add add, std::size_t block = rows_per_block) {
  std::vector<T> parts(block_count(rows, block));
  parallel_for(parts.size(), threads, [&](std::size_t i) { parts[i] = map(block_range(i, rows, block)); });
  return tree_sum(std::move(parts), add);
}

/// Keeps OpenBLAS on one thread while any guard exists; the last one restores the former number. OpenBLAS's own
/// threading changes the last bits of a product with the number of threads. Does nothing with another BLAS.
class BlasGuard {
 public:
  BlasGuard();
  ~BlasGuard();
  BlasGuard(const BlasGuard&) = delete;
  BlasGuard& operator=(const BlasGuard&) = delete;
};

}  // namespace gaussianize::detail
