#pragma once

#include <locale>
#include <sstream>
#include <stdexcept>
#include <string>

namespace gaussianize::detail {

/// Joins its arguments as text: concat("expected ", 3, " columns"). Numbers are written as in C, whatever the locale of
/// the program.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

/// Throws std::invalid_argument, the type for every mistake of the caller, unless `condition` holds. The message states
/// what was given and how to fix it; its parts are joined only if it is thrown.
template <class... Parts>
void require(bool condition, const Parts&... message) {
  if (!condition) throw std::invalid_argument(concat(message...));
}

}  // namespace gaussianize::detail
