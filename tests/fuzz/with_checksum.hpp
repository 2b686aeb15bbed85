#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "gaussianize/io/detail/tensor_storage.hpp"

#include "fuzz/target.hpp"

namespace gaussianize::testing {
using namespace detail;

/// The bytes with their checksum set right: no mutation would be read otherwise. Without room for one they stay as they
/// are.
inline Bytes with_checksum(const std::uint8_t* data, std::size_t size) {
  const auto given = std::as_bytes(std::span(data, size));
  Bytes file(given.begin(), given.end());
  try {
    add_checksum(file);
  } catch (const std::invalid_argument&) {
    return file;
  }
  return file;
}

}  // namespace gaussianize::testing
