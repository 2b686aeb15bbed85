#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/io/detail/decimal.hpp"

#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::same_bits;

namespace {

/// The value of a text that is a number from end to end, else NaN.
double value_of(const std::string& text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  return !text.empty() && parse_decimal(text.data(), end, value) == end ? value
                                                                        : std::numeric_limits<double>::quiet_NaN();
}

/// The result of the standard library, which accepts neither a leading plus nor digits out of range.
double standard(const std::string& text) {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

TEST_CASE("parse_decimal equals std::from_chars to the last bit on two million numbers of every length and size") {
  RandomStream random(Seed{11}, Purpose::test);
  std::size_t wrong = 0;
  char buffer[64];
  for (int i = 0; i < 500'000; ++i) {
    // Every double is as likely as any other: all exponents, subnormals among them.
    const double any = std::bit_cast<double>(random.bits());
    if (std::isfinite(any)) {
      const std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, any).ptr);
      if (!same_bits(value_of(text), any)) ++wrong;
    }
    // Fixed and scientific with 0 to 20 decimals, where most tables live.
    const double usual = (random.uniform() - 0.5) * std::pow(10.0, std::floor(12.0 * random.uniform() - 4.0));
    const auto format = i % 2 == 0 ? std::chars_format::fixed : std::chars_format::scientific;
    const std::string rounded(buffer, std::to_chars(buffer, buffer + sizeof buffer, usual, format, i % 21).ptr);
    if (!same_bits(value_of(rounded), standard(rounded))) ++wrong;
    // Integers around 2⁵³, where the short cut ends, with small powers of ten.
    const std::uint64_t near = (std::uint64_t{1} << 53) - 50 + random.bits() % 100;
    const std::string edge = concat(near, 'e', static_cast<int>(random.bits() % 49) - 24);
    if (!same_bits(value_of(edge), standard(edge))) ++wrong;
    // Any digits, a point anywhere, any short exponent.
    std::string digits = std::to_string(random.bits()).substr(0, 1 + random.bits() % 19);
    const std::size_t point = random.bits() % (digits.size() + 1);
    digits = concat(digits.substr(0, point), '.', digits.substr(point), 'E', static_cast<int>(random.bits() % 61) - 30);
    if (!same_bits(value_of(digits), standard(digits))) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("parse_decimal takes a sign, a point anywhere, an exponent, and nothing else") {
  CHECK(value_of("+5") == 5.0);
  CHECK(value_of("-5.") == -5.0);
  CHECK(value_of(".5") == 0.5);
  CHECK(value_of("00012.500") == 12.5);
  CHECK(value_of("1E+3") == 1000.0);
  CHECK(same_bits(value_of("-0"), -0.0));
  CHECK(same_bits(value_of("-0.000e99999999999"), -0.0));
  for (const char* text : {"", "+", "-", ".", "e5", "+-5", "1e", "1e+", "1.2.3", "0x10", "inf", "nan", "1_000", "1 ",
                           " 1", "--1", "1d5", "1e5.5"})
    CHECK_MESSAGE(std::isnan(value_of(text)), std::string(text));
}

TEST_CASE("parse_decimal stops after the longest number") {
  double value = 0.0;
  const std::string text = "12.5e+x";
  CHECK(parse_decimal(text.data(), text.data() + text.size(), value) == text.data() + 4);
  CHECK(value == 12.5);
  // It does not look beyond its end, where the number would go on.
  CHECK(parse_decimal(text.data(), text.data() + 2, value) == text.data() + 2);
  CHECK(value == 12.0);
}

TEST_CASE("what no double holds becomes infinite, what rounds to nothing becomes zero") {
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(value_of("1e400") == infinity);
  CHECK(value_of("-1.8e308") == -infinity);
  CHECK(value_of(std::string(400, '9')) == infinity);
  CHECK(value_of("1e99999999999999999999") == infinity);
  CHECK(same_bits(value_of("1e-400"), 0.0));
  CHECK(same_bits(value_of("-2e-324"), -0.0));
  CHECK(same_bits(value_of(concat("0.", std::string(400, '0'), 1)), 0.0));
  CHECK(same_bits(value_of("1e-99999999999999999999"), 0.0));
  CHECK(value_of("4.9e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(value_of("1.7976931348623157e308") == std::numeric_limits<double>::max());
  // The exponent makes up for the digits.
  CHECK(value_of(concat("0.", std::string(400, '0'), "1e401")) == 1.0);
  CHECK(value_of(concat(1, std::string(400, '0'), "e-400")) == 1.0);
}
