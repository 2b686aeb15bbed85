#pragma once

#include <cstdint>
#include <string>

namespace gaussianize {

/// A whole number as people type it: digits, or a decimal with an exponent that makes it whole (1e4, 2.5e3). Throws
/// UsageError, beginning with `what`, for anything else, a sign included.
std::uint64_t parse_count(const std::string& text, const std::string& what);

/// A finite number, all of the text. Throws UsageError, beginning with `what`, for anything else.
double parse_number(const std::string& text, const std::string& what);

/// The shortest text that reads back as the same double.
std::string number_text(double value);

}  // namespace gaussianize
