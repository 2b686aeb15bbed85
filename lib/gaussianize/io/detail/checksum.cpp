#include "gaussianize/io/detail/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

namespace gaussianize::detail {
namespace {

static_assert(std::endian::native == std::endian::little,
              "gaussianize reads and writes model files on little-endian machines only");

constexpr std::uint64_t polynomial = 0xC96C5795D7870F42;
using CrcTable = std::array<std::array<std::uint64_t, 256>, 8>;

/// table[k][b] is what byte b does to the remainder once k more bytes have followed it.
constexpr CrcTable make_table() {
  CrcTable table{};
  for (std::uint64_t b = 0; b < 256; ++b) {
    std::uint64_t r = b;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ ((r & 1) != 0 ? polynomial : 0);
    table[0][b] = r;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b) table[k][b] = (table[k - 1][b] >> 8) ^ table[0][table[k - 1][b] & 0xFF];
  return table;
}

constexpr CrcTable crc_table = make_table();

constexpr std::size_t length_size = 8;
constexpr std::string_view opening = R"({"__metadata__":{"checksum":")";
constexpr std::size_t digits_at = length_size + opening.size();
constexpr std::size_t hex_digits = 16;

bool has_room(std::span<const std::byte> file) {
  return file.size() > digits_at + hex_digits &&
         std::memcmp(file.data() + length_size, opening.data(), opening.size()) == 0 &&
         static_cast<char>(file[digits_at + hex_digits]) == '"';
}

std::array<char, hex_digits> seal_of(std::span<const std::byte> file) {
  std::uint64_t crc = crc64(file.first(digits_at));
  crc = crc64(std::as_bytes(std::span(unsealed, hex_digits)), crc);
  crc = crc64(file.subspan(digits_at + hex_digits), crc);
  std::array<char, hex_digits> text{};
  for (std::size_t i = 0; i < hex_digits; ++i) text[i] = "0123456789abcdef"[(crc >> (60 - 4 * i)) & 0xF];
  return text;
}

}  // namespace

std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t before) {
  std::uint64_t crc = ~before;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= crc_table[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (const std::byte b : bytes) crc = (crc >> 8) ^ crc_table[0][(crc ^ static_cast<std::uint64_t>(b)) & 0xFF];
  return ~crc;
}

void add_checksum(std::vector<std::byte>& file) {
  require(has_room(file), "seal: the file's first metadata entry must be \"checksum\": \"", unsealed, "\"");
  const auto text = seal_of(file);
  std::memcpy(file.data() + digits_at, text.data(), hex_digits);
}

void check_seal(std::span<const std::byte> file, const std::string& name) {
  if (!has_room(file))
    throw FileError(concat(name,
                           ": has no checksum at its beginning, so it was changed by another program; "
                           "copy the original file again"));
  const auto text = seal_of(file);
  if (std::memcmp(file.data() + digits_at, text.data(), hex_digits) != 0)
    throw FileError(concat(name, ": its checksum is wrong, so it was changed or damaged; copy the file again"));
}

}  // namespace gaussianize::detail
