#pragma once

#include <cstddef>

#include "gaussianize/rotation/ica.hpp"

/// What the finders of a rotation share; not part of the library's interface.
namespace gaussianize::detail {

/// Replaces every u[i] by g′(u[i]), g being the contrast, and returns Σ g″(u[i]). For |u| below 1e100.
double differentiate_contrast(Contrast contrast, double* u, std::size_t n);

}  // namespace gaussianize::detail
