#include "gaussianize/io/detail/csv_chunks.hpp"

#include <algorithm>

#include "gaussianize/core/detail/parallel.hpp"

namespace gaussianize::detail {
namespace {

/// The place after the first line feed outside quotes at or after `from`, or npos. Quotes inside a quoted cell are
/// doubled, so that the parity of their number tells inside from outside.
std::size_t after_line(std::string_view lines, std::size_t from, bool inside) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    if (lines[i] == '"') inside = !inside;
    if (lines[i] == '\n' && !inside) return i + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<std::string_view> cut_into_chunks(std::string_view lines, std::size_t chunk, int threads) {
  const std::size_t parts = block_count(lines.size(), chunk);
  std::vector<char> odd(parts);
  parallel_for(parts, threads, [&](std::size_t i) {
    odd[i] = std::ranges::count(lines.substr(i * chunk, chunk), '"') % 2 == 1 ? 1 : 0;
  });

  std::vector<std::string_view> pieces;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t i = 1; i < parts; ++i) {
    inside = inside != (odd[i - 1] == 1);
    if (i * chunk < begin) continue;
    const std::size_t end = after_line(lines, i * chunk, inside);
    if (end >= lines.size()) break;
    pieces.push_back(lines.substr(begin, end - begin));
    begin = end;
  }
  pieces.push_back(lines.substr(begin));
  return pieces;
}

}  // namespace gaussianize::detail
