#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <armadillo>

/// What agrees in every bit: NaNs of one kind do, 0 and −0 do not.
namespace gaussianize::testing {

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same_bytes(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// The shapes too.
template <class Matrix>
requires requires(const Matrix& m) {
  m.memptr();
}
bool same_bytes(const Matrix& a, const Matrix& b) {
  return arma::size(a) == arma::size(b) &&
         same_bytes(std::span<const double>(a.memptr(), a.n_elem), std::span<const double>(b.memptr(), b.n_elem));
}

inline std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace gaussianize::testing
