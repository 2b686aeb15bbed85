#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <armadillo>

/// A C-ordered little-endian float32 matrix as NumPy writes it, for benchmarks on public data; nothing if there is no
/// such file.
inline std::optional<arma::mat> read_float_npy(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  char magic[10];
  if (!in.read(magic, 10) || std::memcmp(magic, "\x93NUMPY\x01", 7) != 0) return std::nullopt;
  std::uint16_t length = 0;
  std::memcpy(&length, magic + 8, 2);
  std::string header(length, ' ');
  in.read(header.data(), length);
  const auto shape = header.find("'shape': (");
  if (header.find("'<f4'") == std::string::npos || header.find("False") == std::string::npos ||
      shape == std::string::npos)
    return std::nullopt;
  std::size_t comma = 0;
  const std::string numbers = header.substr(shape + 10);
  const std::size_t rows = std::stoull(numbers, &comma);
  const std::size_t columns = std::stoull(numbers.substr(comma + 1));
  std::vector<float> values(rows * columns);
  if (!in.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float))))
    return std::nullopt;
  arma::mat x(rows, columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t d = 0; d < columns; ++d) x(i, d) = values[i * columns + d];
  return x;
}
