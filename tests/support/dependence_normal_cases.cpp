#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "gaussianize/math/normal.hpp"

#include "support/dependence_rows.hpp"

namespace gaussianize::testing {
using std::numbers::pi;

double student_log_density(const double* v, std::size_t columns, double freedom) {
  const double half = static_cast<double>(columns) / 2;
  double squares = 0;
  for (std::size_t d = 0; d < columns; ++d) squares += v[d] * v[d];
  return boost::math::lgamma(freedom / 2 + half) - boost::math::lgamma(freedom / 2) - half * std::log(freedom * pi) -
         (freedom / 2 + half) * std::log1p(squares / freedom);
}

namespace {

/// A curve in two columns that holds one normal, beside another normal's probability.
DependenceCase swiss_roll() {
  constexpr double rho = 0.75;
  return by_rows("swiss roll", -0.5 * std::log(1 - rho * rho), {2, 1}, [](RandomStream& stream, double* row) {
    const double a = one_normal(stream), b = rho * a + std::sqrt(1 - rho * rho) * one_normal(stream);
    const double t = 1.5 * pi * (1 + 2 * normal_cdf(a));
    row[0] = t * std::cos(t) / 21;
    row[1] = t * std::sin(t) / 21;
    row[2] = normal_cdf(b);
    return normal_log_ratio(a, b, rho);
  });
}

/// Rotates columns k and k + 1 by the angle |v|²/D, which the rotation leaves as it is: a bijection.
void spiral(double* v, std::size_t columns, std::size_t k) {
  double norm = 0;
  for (std::size_t d = 0; d < columns; ++d) norm += v[d] * v[d];
  const double angle = norm / static_cast<double>(columns), c = std::cos(angle), s = std::sin(angle);
  const double first = v[k], second = v[k + 1];
  v[k] = c * first - s * second;
  v[k + 1] = s * first + c * second;
}

/// D + D normals, of which two pairs have correlation 0.8.
DependenceCase two_pairs(const std::string& name, std::size_t columns, bool bent) {
  constexpr double rho = 0.8;
  auto make_row = [columns, bent](RandomStream& stream, double* row) {
    fill_normal(stream, row, 2 * columns);
    double log_ratio = 0;
    for (std::size_t d = 0; d < 2; ++d) {
      double& y = row[columns + d];
      y = rho * row[d] + std::sqrt(1 - rho * rho) * y;
      log_ratio += normal_log_ratio(row[d], y, rho);
    }
    if (bent) {
      spiral(row, columns, 0);
      spiral(row + columns, columns, 1);
    }
    return log_ratio;
  };
  return by_rows(paired(name, columns), -std::log(1 - rho * rho), {columns, columns}, make_row);
}

/// log density, less its powers of 2π, of n normals with every correlation ρ: the matrix's eigenvalues are 1 − ρ and,
/// for (1, …, 1), 1 + (n − 1)ρ.
double dense_log_density(const double* v, std::size_t n, double rho) {
  const double size = static_cast<double>(n), top = 1 + (size - 1) * rho;
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += v[i];
    squares += v[i] * v[i];
  }
  const double log_determinant = (size - 1) * std::log(1 - rho) + std::log(top);
  return -0.5 * (log_determinant + (squares - rho * sum * sum / top) / (1 - rho));
}

DependenceCase normal_dense(std::size_t columns, double rho) {
  const double n = static_cast<double>(columns);
  // −½ log det R(2n) + log det R(n), where log det R(n) = (n − 1) log(1 − ρ) + log(1 + (n − 1)ρ).
  const double truth = -0.5 * (std::log(1 - rho) + std::log(1 + (2 * n - 1) * rho)) + std::log(1 + (n - 1) * rho);
  return by_rows(paired("normal dense", columns), truth, {columns, columns},
                 [columns, rho](RandomStream& stream, double* row) {
                   const double common = std::sqrt(rho) * one_normal(stream);
                   fill_normal(stream, row, 2 * columns);
                   for (std::size_t d = 0; d < 2 * columns; ++d) row[d] = common + std::sqrt(1 - rho) * row[d];
                   return dense_log_density(row, 2 * columns, rho) - dense_log_density(row, columns, rho) -
                          dense_log_density(row + columns, columns, rho);
                 });
}

DependenceCase independent(Widths widths) {
  const std::size_t columns = widths.x + widths.y;
  return by_rows(widths.y > 0 ? paired("independent", widths.x) : sized("independent", columns), 0, widths,
                 [columns](RandomStream& stream, double* row) {
                   fill_normal(stream, row, columns);
                   return 0.0;
                 });
}

double student_entropy(std::size_t columns, double freedom) {
  using boost::math::digamma, boost::math::lgamma;
  const double half = static_cast<double>(columns) / 2, top = freedom / 2 + half;
  return lgamma(freedom / 2) - lgamma(top) + half * std::log(freedom * pi) +
         top * (digamma(top) - digamma(freedom / 2));
}

DependenceCase student(std::size_t columns, std::size_t degrees) {
  const auto freedom = static_cast<double>(degrees);
  const double truth = 2 * student_entropy(columns, freedom) - student_entropy(2 * columns, freedom);
  return by_rows(paired("student-t", columns) + " nu=" + std::to_string(degrees), truth, {columns, columns},
                 [columns, degrees, freedom](RandomStream& stream, double* row) {
                   double chi = 0;
                   for (std::size_t k = 0; k < degrees; ++k) chi += std::pow(one_normal(stream), 2);
                   fill_normal(stream, row, 2 * columns);
                   for (std::size_t d = 0; d < 2 * columns; ++d) row[d] /= std::sqrt(chi / freedom);
                   return student_log_density(row, 2 * columns, freedom) - student_log_density(row, columns, freedom) -
                          student_log_density(row + columns, columns, freedom);
                 });
}

// --- mixtures of normals in 1 + 1 columns -----------------------------------------------------------------------

/// One of equally likely components.
struct Component {
  double mean_x, mean_y, sd_x, sd_y, rho;
};

struct Densities {
  double joint = 0, x = 0, y = 0;
};

Densities densities(const std::vector<Component>& mixture, double x, double y) {
  const double weight = 1 / static_cast<double>(mixture.size());
  Densities p;
  for (const Component& c : mixture) {
    const double a = (x - c.mean_x) / c.sd_x, b = (y - c.mean_y) / c.sd_y;
    const double rest = std::sqrt(1 - c.rho * c.rho);
    p.x += weight * normal_pdf(a) / c.sd_x;
    p.y += weight * normal_pdf(b) / c.sd_y;
    p.joint += weight * normal_pdf(a) * normal_pdf((b - c.rho * a) / rest) / (c.sd_x * c.sd_y * rest);
  }
  return p;
}

/// ∫∫ p log(p/p_x p_y) by the trapezoidal rule.
double mixture_information(const std::vector<Component>& mixture) {
  std::array<double, 2> x{HUGE_VAL, -HUGE_VAL}, y = x;
  double finest_x = HUGE_VAL, finest_y = HUGE_VAL;
  for (const Component& c : mixture) {
    x = {std::min(x[0], c.mean_x - 9 * c.sd_x), std::max(x[1], c.mean_x + 9 * c.sd_x)};
    y = {std::min(y[0], c.mean_y - 9 * c.sd_y), std::max(y[1], c.mean_y + 9 * c.sd_y)};
    finest_x = std::min(finest_x, c.sd_x);
    finest_y = std::min(finest_y, c.sd_y);
  }
  return trapezoid(x[0], x[1], 0.4 * finest_x, [&](double u) {
    return trapezoid(y[0], y[1], 0.4 * finest_y, [&](double v) {
      const Densities p = densities(mixture, u, v);
      return p.joint > 0 ? p.joint * std::log(p.joint / (p.x * p.y)) : 0;
    });
  });
}

DependenceCase mixture_case(std::string name, const std::vector<Component>& mixture) {
  return by_rows(std::move(name), mixture_information(mixture), {1, 1}, [mixture](RandomStream& stream, double* row) {
    const Component& c = mixture[stream.below(mixture.size())];
    const double a = one_normal(stream), b = c.rho * a + std::sqrt(1 - c.rho * c.rho) * one_normal(stream);
    row[0] = c.mean_x + c.sd_x * a;
    row[1] = c.mean_y + c.sd_y * b;
    const Densities p = densities(mixture, row[0], row[1]);
    return std::log(p.joint / (p.x * p.y));
  });
}

DependenceCase two_waves() {
  std::vector<Component> mixture;
  for (int k = 0; k < 12; ++k)
    for (const double side : {-3.0, 3.0}) mixture.push_back({1.0 * k, side * std::sin(2 * pi * k / 11), 0.28, 0.2, 0});
  return mixture_case("two waves", mixture);
}

}  // namespace

std::vector<DependenceCase> normal_dependence_cases() {
  return {
      swiss_roll(),
      two_pairs("spiral", 3, true),
      two_pairs("spiral", 5, true),
      two_pairs("spiral", 25, true),
      two_pairs("normal sparse", 5, false),
      two_pairs("normal sparse", 25, false),
      normal_dense(10, 0.5),
      two_waves(),
      mixture_case("bimodal 1+1", {{-1.5, 0.5, 1.0, 0.7, 0.8}, {1.5, -0.5, 0.6, 1.2, -0.6}}),
      student(2, 3),
      student(5, 2),
      independent({2}),
      independent({5}),
      independent({10}),
      independent({3, 3}),
  };
}

}  // namespace gaussianize::testing
