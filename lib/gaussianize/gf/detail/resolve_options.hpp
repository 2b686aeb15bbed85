#pragma once

#include <cstddef>

#include "gaussianize/gf/options.hpp"

namespace gaussianize::detail {

/// The options with every 0 that means "chosen" filled in for `rows` training rows of `dimension` columns.
GfOptions resolve(GfOptions options, std::size_t rows, std::size_t dimension);

/// Throws std::invalid_argument that names the option and the fix. For resolved options.
void check_options(const GfOptions& options, std::size_t dimension);

}  // namespace gaussianize::detail
