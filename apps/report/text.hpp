#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/math/estimate.hpp"

namespace gaussianize::report {

/// Appends all parts, strings or views of them.
template <class... Parts>
void append_all(std::string& text, const Parts&... parts) {
  (text.append(parts), ...);
}

/// The text as valid UTF-8 on one line: a byte that is not part of a character becomes U+FFFD, and so does a character
/// that XML forbids; tabs, line ends and other control characters become spaces.
std::string clean_text(std::string_view text);

/// Clean text for HTML and XML, between tags and within quoted attributes: & < > " ' are escaped.
std::string escaped(std::string_view text);

/// Clean text of at most `max_characters` > 0 characters (not bytes), the last an ellipsis if some were left out.
std::string shortened(std::string_view text, std::size_t max_characters);

/// For readers: `decimals` digits after the point, a true minus sign, a dash (–) for NaN and ∞ for infinities.
/// Independent of the locale.
std::string fixed(double value, int decimals);

/// The same with `digits` significant digits, and a power of ten (3·10⁻¹⁴) outside 10⁻³ … 10⁶.
std::string significant(double value, int digits);

/// A whole number in groups of three, parted by narrow spaces: 12 345.
std::string grouped(double value);

/// The number of decimals that shows two digits of the smallest standard error, between 0 and 6; 4 where there is none.
int decimals_for(const std::vector<Estimate>& estimates);

/// "1.234 ± 0.012"; the value alone where the standard error is NaN, a dash where the value is.
std::string with_error(const Estimate& estimate, int decimals);

/// The same with ≥ before it if it is a lower bound.
std::string bounded(const Estimate& estimate, bool bound, int decimals);

}  // namespace gaussianize::report
