#include "gaussianize/io/detail/decimal.hpp"

#include <cfloat>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <system_error>

namespace gaussianize::detail {
namespace {

/// Exact in a double, all of them.
constexpr double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::int64_t largest_power = std::ssize(power_of_ten) - 1;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Appends the digits at p to `number`, modulo 2⁶⁴.
const char* take_digits(const char* p, const char* last, std::uint64_t& number) {
  for (; p != last && is_digit(*p); ++p) number = 10 * number + static_cast<std::uint64_t>(*p - '0');
  return p;
}

/// Reads e±digits at p, if there is one. Exponents larger than any file could offset are capped.
const char* take_exponent(const char* p, const char* last, std::int64_t& exponent) {
  if (p == last || (*p != 'e' && *p != 'E')) return p;
  const char* q = p + 1;
  const bool negative = q != last && *q == '-';
  if (negative || (q != last && *q == '+')) ++q;
  if (q == last || !is_digit(*q)) return p;
  constexpr std::int64_t enough = 1'000'000'000'000'000;
  for (; q != last && is_digit(*q); ++q)
    if (exponent < enough) exponent = 10 * exponent + (*q - '0');
  if (negative) exponent = -exponent;
  return q;
}

/// Whether a number that no double holds is too large rather than too small: the place of its first digit decides.
bool is_large(const char* digits, const char* last, std::int64_t exponent) {
  std::int64_t place = 0;
  bool fraction = false, begun = false;
  for (const char* p = digits; p != last && (is_digit(*p) || *p == '.'); ++p) {
    if (*p == '.') {
      fraction = true;
      continue;
    }
    begun = begun || *p != '0';
    if (begun && !fraction) ++place;
    if (!begun && fraction) --place;
  }
  return place + exponent > 0;
}

double nearest_double(const char* digits, const char* last, std::int64_t exponent) {
  double value = 0.0;
  if (std::from_chars(digits, last, value).ec == std::errc::result_out_of_range)
    value = is_large(digits, last, exponent) ? std::numeric_limits<double>::infinity() : 0.0;
  return value;
}

}  // namespace

const char* parse_decimal(const char* first, const char* last, double& value) {
  const char* p = first;
  const bool negative = p != last && *p == '-';
  if (negative || (p != last && *p == '+')) ++p;

  const char* const digits = p;
  std::uint64_t mantissa = 0;
  std::int64_t decimals = 0;
  p = take_digits(p, last, mantissa);
  std::int64_t count = p - digits;
  if (p != last && *p == '.') {
    const char* const fraction = p + 1;
    p = take_digits(fraction, last, mantissa);
    decimals = p - fraction;
    count += decimals;
  }
  if (count == 0) return first;
  std::int64_t exponent = 0;
  p = take_exponent(p, last, exponent);

  // Both factors are exact, so the one rounding of their product or quotient is the rounding of the number itself,
  // provided that the arithmetic is no wider than a double.
  constexpr std::int64_t max_digits = 19;  // without overflow of the mantissa
  constexpr std::uint64_t exact = std::uint64_t{1} << DBL_MANT_DIG;
  const std::int64_t power = exponent - decimals;
  if (FLT_EVAL_METHOD == 0 && count <= max_digits && mantissa <= exact && std::abs(power) <= largest_power) {
    const auto whole = static_cast<double>(mantissa);
    value = power < 0 ? whole / power_of_ten[-power] : whole * power_of_ten[power];
  } else {
    value = nearest_double(digits, p, exponent);
  }
  if (negative) value = -value;
  return p;
}

}  // namespace gaussianize::detail
