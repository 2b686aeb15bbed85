#pragma once

#include <cmath>
#include <numbers>

#include <boost/math/special_functions/gamma.hpp>

/// What the measures share; not part of the library's interface.
namespace gaussianize::detail {

/// log density at 0 of the D-dimensional standard t law. Not by std::lgamma, which writes to a global.
inline double log_student_constant(double degrees, double dimension) {
  return boost::math::lgamma((degrees + dimension) / 2) - boost::math::lgamma(degrees / 2) -
         dimension / 2 * std::log(degrees * std::numbers::pi);
}

}  // namespace gaussianize::detail
