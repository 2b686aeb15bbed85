#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gaussianize::detail {

/// CRC-64/XZ: polynomial x⁶⁴ + … with reflected form 0xC96C5795D7870F42, all ones before and after; of "123456789" it
/// is 0x995DC9BBDF1939FA. Every change confined to 64 consecutive bits is noticed, so every changed byte is; any other
/// change escapes with chance 2⁻⁶⁴. It guards against accidents, not against forgers. `before` is the value of the
/// bytes that precede, so that crc64(b, crc64(a)) is that of a followed by b.
std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t before = 0);

/// A safetensors file is sealed if its header begins with {"__metadata__":{"checksum":" and sixteen lower-case
/// hexadecimal digits: crc64 of the whole file with sixteen characters 0 in place of them.
inline constexpr const char* unsealed = "0000000000000000";

/// Sets the digits, for which the file must have room: a metadata entry "checksum" that holds `unsealed` and comes
/// first. Throws std::invalid_argument if it has not.
void add_checksum(std::vector<std::byte>& file);

/// Throws FileError, beginning with `name`, if the file is not sealed or has changed since.
void check_seal(std::span<const std::byte> file, const std::string& name);

}  // namespace gaussianize::detail
