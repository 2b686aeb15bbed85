#include "cli/numbers.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/json_text.hpp"

#include "cli/command.hpp"

namespace gaussianize {
using namespace detail;
namespace {

template <class Number>
bool parse_all(const std::string& text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

}  // namespace

std::uint64_t parse_count(const std::string& text, const std::string& what) {
  std::uint64_t whole = 0;
  if (parse_all(text, whole)) return whole;
  double number = 0;
  // Beyond 2⁵³ a double would round in silence.
  constexpr double maximum = 9007199254740992.0;
  if (parse_all(text, number) && number >= 0 && !std::signbit(number) && number <= maximum &&
      number == std::floor(number))
    return static_cast<std::uint64_t>(number);
  throw UsageError(
      concat(what, " is ", in_quotes(text), "; give a whole number that is not negative, such as 10000 or 1e4"));
}

double parse_number(const std::string& text, const std::string& what) {
  double number = 0;
  if (parse_all(text, number) && std::isfinite(number)) return number;
  throw UsageError(concat(what, " is ", in_quotes(text), "; give a number, such as 0.01 or 1e-2"));
}

std::string number_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

}  // namespace gaussianize
