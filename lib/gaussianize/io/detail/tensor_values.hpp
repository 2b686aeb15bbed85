#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gaussianize/io/detail/safetensors.hpp"

namespace gaussianize::detail {

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
    static_assert(std::is_same_v<T, std::uint8_t>, "safetensors.hpp has no such type");
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
