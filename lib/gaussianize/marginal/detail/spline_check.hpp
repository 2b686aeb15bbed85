#pragma once

#include "gaussianize/marginal/monotone_spline.hpp"

namespace gaussianize::detail {

/// What check(const MonotoneSpline&) does.
void check_spline(const MonotoneSpline& spline);

}  // namespace gaussianize::detail
