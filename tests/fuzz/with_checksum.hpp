#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "gaussianize/io/detail/checksum.hpp"

#include "fuzz/target.hpp"

namespace gaussianize::testing {
using namespace detail;

/// The bytes with the checksum of a sealed file set right: no mutation would get past it otherwise. Where there is no
/// room for one they stay as they are, and the reader has to see that for itself.
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
