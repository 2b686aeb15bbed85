#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/json_text.hpp"
#include "gaussianize/io/detail/safetensors.hpp"

namespace gaussianize::detail {
namespace {

static_assert(std::endian::native == std::endian::little,
              "gaussianize reads and writes model files on little-endian machines only");

struct TypeRow {
  TensorType type;
  std::string_view name;
  std::size_t size;
};
constexpr std::array<TypeRow, 5> types{{{TensorType::f64, "F64", 8},
                                        {TensorType::i64, "I64", 8},
                                        {TensorType::u64, "U64", 8},
                                        {TensorType::u32, "U32", 4},
                                        {TensorType::u8, "U8", 1}}};

const TypeRow& row_of(TensorType type) {
  return types[static_cast<std::size_t>(type)];
}

using Entry = std::pair<const std::string, TensorView>;

/// Larger elements first: with the data 8-aligned, that alone aligns every tensor without holes.
std::vector<const Entry*> in_file_order(const TensorFile& content) {
  std::vector<const Entry*> order;
  for (const Entry& entry : content.tensors) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const Entry* a, const Entry* b) { return size_of(a->second.type) > size_of(b->second.type); });
  return order;
}

void require_consistent(const Entry& entry) {
  const auto& [name, tensor] = entry;
  require(name != "__metadata__", "encode_safetensors: a tensor cannot be named __metadata__");
  std::uint64_t bytes = size_of(tensor.type);
  bool fits = true;
  for (const std::uint64_t extent : tensor.shape) fits = fits && !__builtin_mul_overflow(bytes, extent, &bytes);
  require(fits && bytes == tensor.bytes.size(), "encode_safetensors: tensor ", in_quotes(name), " has ",
          tensor.bytes.size(), " bytes, which its shape does not give");
}

std::string tensor_entry(const Entry& entry, std::uint64_t begin) {
  const auto& [name, tensor] = entry;
  std::string shape;
  for (const std::uint64_t extent : tensor.shape) shape.append(shape.empty() ? "" : ",").append(std::to_string(extent));
  return concat(json_quote(name, "tensor name"), R"(:{"dtype":")", name_of(tensor.type), R"(","shape":[)", shape,
                R"(],"data_offsets":[)", begin, ",", begin + tensor.bytes.size(), "]}");
}

std::string make_header(const TensorFile& content, const std::vector<const Entry*>& order) {
  std::string header = R"({"__metadata__":)" + json_map(content.metadata, "metadata");
  std::uint64_t begin = 0;
  for (const Entry* entry : order) {
    header.append(",").append(tensor_entry(*entry, begin));
    begin += entry->second.bytes.size();
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');
  require(header.size() <= longest_header, "encode_safetensors: the header needs ", header.size(),
          " bytes, the format allows ", longest_header);
  return header;
}

}  // namespace

std::string_view name_of(TensorType type) {
  return row_of(type).name;
}

std::size_t size_of(TensorType type) {
  return row_of(type).size;
}

std::optional<TensorType> tensor_type(std::string_view name) {
  for (const TypeRow& row : types)
    if (row.name == name) return row.type;
  return std::nullopt;
}

std::vector<std::byte> encode_safetensors(const TensorFile& content) {
  for (const Entry& entry : content.tensors) require_consistent(entry);
  const auto order = in_file_order(content);
  const std::string header = make_header(content, order);

  const std::uint64_t length = header.size();
  std::size_t total = sizeof length + header.size();
  for (const Entry* entry : order) total += entry->second.bytes.size();
  std::vector<std::byte> file(total);
  std::byte* end = file.data();
  const auto append = [&end](std::span<const std::byte> bytes) { end = std::copy(bytes.begin(), bytes.end(), end); };
  append(std::as_bytes(std::span(&length, 1)));
  append(std::as_bytes(std::span(header)));
  for (const Entry* entry : order) append(entry->second.bytes);
  return file;
}

}  // namespace gaussianize::detail
