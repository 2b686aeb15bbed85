#pragma once

namespace gaussianize::detail {

/// Reads the longest decimal number at the start of [first, last): an optional sign, digits with at most one point
/// among or beside them, an optional exponent. Returns its end, or `first` if there is none. The value is the double
/// nearest to the number, as std::from_chars gives it; beyond the largest double it is ±∞, below half the smallest ±0.
/// No locale, no hexadecimal digits, neither inf nor nan.
const char* parse_decimal(const char* first, const char* last, double& value);

}  // namespace gaussianize::detail
