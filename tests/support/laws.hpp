#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/quadrature/gauss.hpp>

#include "support/closeness.hpp"

/// Properties of a map of the line, as assertions to reuse. tests/support/test_laws.cpp shows that each one rejects a
/// planted mistake. Every comparison is written so that a NaN fails it.
namespace gaussianize::testing {

/// f′(x) by the central difference of sixth order, from f at x ± step, x ± 2 step and x ± 3 step. Exact for
/// polynomials up to degree six but for rounding, about 2e-16·|f|/step.
template <class Function>
double numeric_derivative(Function f, double x, double step) {
  const auto difference = [&](int k) { return f(x + k * step) - f(x - k * step); };
  return (45 * difference(1) - 9 * difference(2) + difference(3)) / (60 * step);
}

/// Whether f increases strictly along the grid, and is finite there.
template <class Function>
bool increasing(Function f, const std::vector<double>& grid) {
  double last = -std::numeric_limits<double>::infinity();
  for (const double x : grid) {
    const double value = f(x);
    if (!(value > last) || !std::isfinite(value)) return false;
    last = value;
  }
  return true;
}

/// `count` + 1 points from low to high, evenly spaced.
inline std::vector<double> even_grid(double low, double high, std::size_t count) {
  std::vector<double> grid;
  for (std::size_t i = 0; i <= count; ++i)
    grid.push_back(low + (high - low) * (static_cast<double>(i) / static_cast<double>(count)));
  return grid;
}

/// ∫ f over the line: Gauss–Legendre with ten points between neighbouring breaks (increasing; f is smooth between them)
/// and a double exponential rule on either side, which is exact to 1e-10 for exponential and power tails alike.
/// `scale` is the width over which the tails fall. NaN if f is not finite at some finite point.
template <class Function>
double integral(Function f, const std::vector<double>& breaks, double scale) {
  bool failed = false;
  const auto checked = [&](double x) {
    if (!std::isfinite(x)) return 0.0;  // the rule asks there too; a density has nothing there
    const double value = f(x);
    if (!std::isfinite(value)) failed = true;
    return std::isfinite(value) ? value : 0.0;
  };
  double sum = 0;
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i)
    sum += boost::math::quadrature::gauss<double, 10>::integrate(checked, breaks[i], breaks[i + 1]);
  boost::math::quadrature::exp_sinh<double> rule;
  for (const auto& [from, sign] : {std::pair(breaks.front(), -1.0), std::pair(breaks.back(), 1.0)}) {
    const auto tail = [&, from = from, sign = sign](double t) { return checked(from + sign * scale * t); };
    sum += scale * rule.integrate(tail, 0.0, std::numeric_limits<double>::infinity(), 1e-10);
  }
  return failed ? std::numeric_limits<double>::quiet_NaN() : sum;
}

template <class Function>
bool integrates_to_one(Function density, const std::vector<double>& breaks, double scale, double tolerance = 1e-6) {
  return std::abs(integral(density, breaks, scale) - 1) <= tolerance;
}

}  // namespace gaussianize::testing
