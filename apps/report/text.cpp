#include "report/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// The length of the UTF-8 character that starts the text, 0 if there is none: overlong forms, surrogates and values
/// beyond U+10FFFF are none. Hand-written because the standard library cannot check UTF-8 without a locale.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto follows = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0) == 0x80; };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!follows(1) || !follows(2)) return 0;
    return (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) >= 0xA0) ? 0 : 3;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    return (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) >= 0x90) ? 0 : 4;
  }
  return 0;
}

/// U+FFFE and U+FFFF, and the C1 control characters that text never needs.
bool forbidden(std::string_view character) {
  return character == "\xEF\xBF\xBE" || character == "\xEF\xBF\xBF" ||
         (character.size() == 2 && character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0);
}

template <class... Format>
std::string digits_of(double value, Format... format) {
  std::array<char, 400> buffer;  // the longest double in fixed notation has 309 digits before the point
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...).ptr;
  return {buffer.data(), end};
}

std::string with_true_minus(std::string digits) {
  if (digits.starts_with('-')) digits.replace(0, 1, "−");
  return digits;
}

std::string superscript(int exponent) {
  static constexpr std::array<std::string_view, 10> raised{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) text += raised[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string not_finite(double value) {
  return std::isnan(value) ? "–" : value > 0 ? "∞" : "−∞";
}

}  // namespace

std::string clean_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(length, 1));
    const auto lead = static_cast<unsigned char>(character[0]);
    if (length == 0 || forbidden(character))
      clean += replacement;
    else if (lead < 0x20 || lead == 0x7F)
      clean += ' ';
    else
      clean += character;
    text.remove_prefix(character.size());
  }
  return clean;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : clean_text(text)) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  return result;
}

std::string shortened(std::string_view text, std::size_t max_characters) {
  require(max_characters > 0, "shortened: no room for any character");
  const std::string clean = clean_text(text);
  std::size_t characters = 0, end_of_kept = 0;
  for (std::size_t i = 0; i < clean.size(); i += character_length(std::string_view(clean).substr(i))) {
    if (characters + 1 == max_characters) end_of_kept = i;
    ++characters;
  }
  return characters <= max_characters ? clean : clean.substr(0, end_of_kept) + "…";
}

std::string fixed(double value, int decimals) {
  if (!std::isfinite(value)) return not_finite(value);
  std::string digits = digits_of(value, std::chars_format::fixed, decimals);
  // A value that rounds to nothing has no sign.
  if (digits.find_first_not_of("-0.") == std::string::npos && digits.starts_with('-')) digits.erase(0, 1);
  return with_true_minus(digits);
}

std::string significant(double value, int digits) {
  if (!std::isfinite(value)) return not_finite(value);
  if (value == 0.0) return "0";
  const std::string rounded = digits_of(value, std::chars_format::scientific, digits - 1);
  const std::size_t e = rounded.find('e');
  const int exponent = std::stoi(rounded.substr(e + 1));
  if (exponent >= -3 && exponent < 6) return fixed(value, std::max(0, digits - 1 - exponent));
  return with_true_minus(rounded.substr(0, e)) + "·10" + superscript(exponent);
}

std::string grouped(double value) {
  if (!std::isfinite(value)) return not_finite(value);
  std::string digits = digits_of(std::abs(std::round(value)), std::chars_format::fixed, 0);
  for (std::size_t end = digits.size(); end > 3;) digits.insert(end -= 3, "\u202F");
  return (value <= -0.5 ? "−" : "") + digits;
}

int decimals_for(const std::vector<Estimate>& estimates) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Estimate& e : estimates)
    if (e.standard_error > 0) smallest = std::min(smallest, e.standard_error);
  if (!std::isfinite(smallest)) return 4;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(smallest))) + 1, 0, 6);
}

std::string with_error(const Estimate& estimate, int decimals) {
  const std::string value = fixed(estimate.value, decimals);
  if (!std::isfinite(estimate.value) || !std::isfinite(estimate.standard_error)) return value;
  return value + " ± " + fixed(estimate.standard_error, decimals);
}

std::string bounded(const Estimate& estimate, bool bound, int decimals) {
  return (bound && !std::isnan(estimate.value) ? "≥ " : "") + with_error(estimate, decimals);
}

}  // namespace gaussianize::report
