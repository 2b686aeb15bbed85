#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gaussianize/math/estimate.hpp"

namespace gaussianize {

/// Cells in columns as wide as their widest cell: the first column to the left, the others to the right. Rows may be
/// shorter than the first.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// A number with `digits` digits after the point; in scientific notation, with `digits` significant digits.
std::string fixed(double value, int digits);
std::string scientific(double value, int digits);

/// A p-value: "0.012", or "< 0.001".
std::string p_text(double p);

/// "1.2345 ± 0.0021"; without the error where it is not known, and a dash if nothing is.
std::string with_error(const Estimate& estimate, int digits);

}  // namespace gaussianize
