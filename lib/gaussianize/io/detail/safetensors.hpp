#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gaussianize::detail {

// The safetensors container: an 8-byte little-endian length, that many bytes of JSON header, then the tensors' bytes,
// little-endian, in C order. The header maps each name to {"dtype", "shape", "data_offsets"} and "__metadata__" to an
// object of strings. It holds no code, so a file from an untrusted source can do no harm.

enum class TensorType { f64, i64, u64, u32, u8 };

/// "F64", "I64", "U64", "U32", "U8"; bytes of one element; and the type that has a name, if any.
std::string_view name_of(TensorType type);
std::size_t size_of(TensorType type);
std::optional<TensorType> tensor_type(std::string_view name);

/// A tensor whose elements, as many as the product of `shape`, are stored elsewhere, aligned or not. A scalar has an
/// empty shape.
struct TensorView {
  TensorType type = TensorType::f64;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> bytes;
};

/// The content of a file.
struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, TensorView> tensors;
};

/// The longest header that is read or written, as in other implementations.
inline constexpr std::size_t max_header = 100'000'000;

/// The bytes of a file; equal contents give equal bytes. Tensors are in order of element size, largest first, then of
/// name, and the header is padded with spaces to a multiple of 8, so that every tensor is aligned to its element size.
/// Throws std::invalid_argument where a shape does not match its bytes, a name is "__metadata__" or a text is not
/// UTF-8.
std::vector<std::byte> encode_safetensors(const TensorFile& content);

/// The content of a file; its tensors are views into `file`. Strict: tensors must fill the file without gaps or
/// overlap, names be unique, and types among the above. Throws FileError, beginning with `name`. Time and memory are
/// linear in the file's size.
TensorFile decode_safetensors(std::span<const std::byte> file, const std::string& name);

/// The tensor type of a C++ type.
template <class T>
constexpr TensorType tensor_type_of() {
  if constexpr (std::is_same_v<T, double>)
    return TensorType::f64;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return TensorType::i64;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return TensorType::u64;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return TensorType::u32;
  else {
    static_assert(std::is_same_v<T, std::uint8_t>, "no tensor type for this C++ type");
    return TensorType::u8;
  }
}

/// A tensor over values that the caller keeps alive.
template <class T>
TensorView tensor_view(const std::vector<T>& values, std::vector<std::uint64_t> shape) {
  return {tensor_type_of<T>(), std::move(shape), std::as_bytes(std::span(values))};
}

/// A tensor's values, bit by bit. Requires tensor.type to be that of T.
template <class T>
std::vector<T> tensor_values(const TensorView& tensor) {
  std::vector<T> values(tensor.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
  return values;
}

}  // namespace gaussianize::detail
