#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gaussianize::detail {

// The safetensors container: an 8-byte little-endian length, that many bytes of JSON header, then the tensors' bytes,
// little-endian, in C order. The header maps each name to {"dtype", "shape", "data_offsets"} and "__metadata__" to an
// object of strings. It holds no code, so a file from a stranger can do no harm.

enum class TensorType { f64, i64, u64, u32, u8 };

/// "F64", "I64", "U64", "U32", "U8"; bytes of one element; and the type that a name means, if any.
std::string_view name_of(TensorType type);
std::size_t size_of(TensorType type);
std::optional<TensorType> tensor_type(std::string_view name);

/// A tensor whose elements, product of `shape` of them, lie elsewhere, aligned or not. A scalar has an empty shape.
struct TensorView {
  TensorType type = TensorType::f64;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;
};

/// What a file holds.
struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorView> tensors;
};

/// The longest header that is read or written, as in other implementations.
inline constexpr std::size_t longest_header = 100'000'000;

/// The bytes of a file, which equal contents decide. Tensors are in order of element size, largest first, then of name,
/// and the header is padded with spaces to a multiple of 8, so that every tensor is aligned to its element size.
/// Throws std::invalid_argument where a shape does not match its bytes, a name is "__metadata__" or a text is not
/// UTF-8.
std::vector<std::byte> encode_safetensors(const TensorFile& content);

/// The content of a file; its tensors are views into `file`. Strict: tensors must fill the file without hole, overlap
/// or rest, names be unique, and types among the above. Throws FileError, beginning with `name`. Time and memory are
/// linear in the file's size.
TensorFile decode_safetensors(std::span<const std::byte> file, const std::string& name);

}  // namespace gaussianize::detail
