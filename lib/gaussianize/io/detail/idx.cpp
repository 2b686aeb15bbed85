#include "gaussianize/io/detail/idx.hpp"

#include <cstdint>
#include <optional>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/numeric_array.hpp"

namespace gaussianize::detail {
namespace {

std::optional<ElementType> type_of(std::byte code) {
  switch (std::to_integer<int>(code)) {
    case 0x08:
      return ElementType::u1;
    case 0x09:
      return ElementType::i1;
    case 0x0B:
      return ElementType::i2;
    case 0x0C:
      return ElementType::i4;
    case 0x0D:
      return ElementType::f4;
    case 0x0E:
      return ElementType::f8;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_idx(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && bytes[0] == std::byte{0} && bytes[1] == std::byte{0} && type_of(bytes[2]).has_value() &&
         bytes[3] != std::byte{0};
}

Table parse_idx(std::span<const std::byte> bytes, const std::string& name, const TableOptions& options,
                TableReport* report) {
  if (!is_idx(bytes)) throw FileError(concat(name, ": does not begin as an IDX file does"));
  const auto dimensions = std::to_integer<std::size_t>(bytes[3]);
  const std::size_t begin = 4 + 4 * dimensions;
  if (bytes.size() < begin) throw FileError(concat(name, ": the IDX file ends inside its header; copy it again"));
  NumericArray array{*type_of(bytes[2]), true, false, {}, bytes.subspan(begin)};
  for (std::size_t at = 4; at < begin; at += 4) {
    std::uint64_t extent = 0;
    for (std::size_t i = 0; i < 4; ++i) extent = extent << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    array.shape.push_back(extent);
  }
  return array_table(array, name, options, report);
}

}  // namespace gaussianize::detail
