#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

#include "support/dependence_cases.hpp"

/// What the cases are made of, and the groups that dependence_cases() joins.
namespace gaussianize::testing {
using namespace detail;

inline const double normal_entropy = 0.5 * std::log(2 * std::numbers::pi * std::numbers::e);

/// Σ step·f over the multiples of `step` in (low, high): spectrally accurate for smooth f that vanishes at both ends.
template <class Function>
double trapezoid(double low, double high, double step, Function f) {
  double sum = 0;
  for (long k = std::lround(low / step); k <= std::lround(high / step); ++k) sum += f(static_cast<double>(k) * step);
  return sum * step;
}

inline double minus_p_log_p(double p) {
  return p > 0 ? -p * std::log(p) : 0;
}

struct Widths {
  std::size_t x, y = 0, z = 0;
};

/// Fills one row, the columns of x first, then those of y and z; returns its log ratio.
using MakeRow = std::function<double(RandomStream& stream, double* row)>;

inline DependenceQuantity quantity_of(const Widths& widths) {
  if (widths.y == 0) return DependenceQuantity::total_correlation;
  return widths.z == 0 ? DependenceQuantity::mutual_information : DependenceQuantity::conditional_mutual_information;
}

inline DependenceCase by_rows(std::string name, double truth, Widths widths, MakeRow make_row) {
  auto draw = [widths, make_row = std::move(make_row)](std::size_t rows, Seed seed) {
    arma::mat transposed(widths.x + widths.y + widths.z, rows);
    arma::vec log_ratio(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      RandomStream stream(seed, Purpose::data, i);
      log_ratio[i] = make_row(stream, transposed.colptr(i));
    }
    const arma::mat all = transposed.t();
    DependenceSample sample{all.head_cols(widths.x), {}, {}, std::move(log_ratio)};
    if (widths.y > 0) sample.y = all.cols(widths.x, widths.x + widths.y - 1);
    if (widths.z > 0) sample.z = all.tail_cols(widths.z);
    return sample;
  };
  return {std::move(name), quantity_of(widths), truth, std::move(draw)};
}

inline std::string sized(const std::string& name, std::size_t columns) {
  return name + " D=" + std::to_string(columns);
}

inline std::string paired(const std::string& name, std::size_t columns) {
  return name + " " + std::to_string(columns) + "+" + std::to_string(columns);
}

inline double one_normal(RandomStream& stream) {
  double z = 0;
  fill_normal(stream, &z, 1);
  return z;
}

/// log φ₂(a, b; ρ)/φ(a)φ(b).
inline double normal_log_ratio(double a, double b, double rho) {
  const double rest = 1 - rho * rho;
  return -0.5 * std::log(rest) - (rho * rho * (a * a + b * b) - 2 * rho * a * b) / (2 * rest);
}

/// log density of the spherical Student-t distribution.
double student_log_density(const double* v, std::size_t columns, double freedom);

std::vector<DependenceCase> normal_dependence_cases();  ///< normals, bent or mixed or scaled
std::vector<DependenceCase> shape_dependence_cases();   ///< signs, boards, rings, noise, and what is given z
std::vector<DependenceCase> known_dependence_cases();   ///< those of gaussianize/data/known_distribution.hpp

}  // namespace gaussianize::testing
