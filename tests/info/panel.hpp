#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"

/// One-dimensional distributions with known densities and entropies, on which estimators are measured: light and heavy
/// tails, hard edges, an edge where the density is infinite, two modes.
namespace gaussianize::testing {
using namespace detail;

struct PanelDistribution {
  const char* name;
  double (*draw)(RandomStream& stream);
  double (*log_density)(double x);
  double entropy;  ///< closed form, or quadrature for the two modes; test_entropy_panel.cpp integrates them
};

inline double one_normal(RandomStream& stream) {
  return normal_quantile(stream.uniform());
}

/// x = ±3 + normal, either sign as often.
inline double two_modes_log_density(double x) {
  return log_normal_pdf(std::abs(x) - 3) + std::log1p(std::exp(-6 * std::abs(x))) - std::numbers::ln2;
}

/// ν = 3.
inline double student_log_density(double x) {
  return std::log(2 / (std::numbers::pi * std::sqrt(3.0))) - 2 * std::log1p(x * x / 3);
}

inline const std::array<PanelDistribution, 7> panel = {{
    {"normal", one_normal, log_normal_pdf, 0.5 * std::log(2 * std::numbers::pi * std::numbers::e)},
    {"uniform", [](RandomStream& s) { return s.uniform(); }, [](double) { return 0.0; }, 0.0},
    {"exponential", [](RandomStream& s) { return -std::log(s.uniform()); }, [](double x) { return -x; }, 1.0},
    {"Student t3",
     [](RandomStream& s) {
       const double z = one_normal(s), a = one_normal(s), b = one_normal(s), c = one_normal(s);
       return z / std::sqrt((a * a + b * b + c * c) / 3);
     },
     student_log_density, 4 * std::numbers::ln2 - 2 + std::log(std::sqrt(3.0) * std::numbers::pi / 2)},
    {"two modes",
     [](RandomStream& s) {
       const double z = one_normal(s);
       return s.uniform() < 0.5 ? z - 3 : z + 3;
     },
     two_modes_log_density, 2.108236466234},
    {"Beta(½, ½)",
     [](RandomStream& s) {
       const double root = std::sin(0.5 * std::numbers::pi * s.uniform());
       return root * root;
     },
     [](double x) { return -std::log(std::numbers::pi) - 0.5 * (std::log(x) + std::log1p(-x)); },
     std::log(std::numbers::pi / 4)},
    {"Beta(2, 5)",
     [](RandomStream& s) {
       std::array<double, 6> u;
       for (double& value : u) value = s.uniform();
       std::sort(u.begin(), u.end());
       return u[1];
     },
     [](double x) { return std::log(30.0) + std::log(x) + 4 * std::log1p(-x); }, 35.0 / 12 - std::log(30.0)},
}};

/// Distributions that the estimators' constants were not chosen on: a cusp, a long tail on one side, no mean at all, a
/// kink, an edge where the density is infinite and a tail, narrow and wide together.
inline const std::array<PanelDistribution, 6> fresh_distributions = {{
    {"Laplace",
     [](RandomStream& s) {
       const double u = s.uniform();
       return u < 0.5 ? std::log(2 * u) : -std::log(2 * (1 - u));
     },
     [](double x) { return -std::abs(x) - std::numbers::ln2; }, 1 + std::numbers::ln2},
    {"lognormal", [](RandomStream& s) { return std::exp(one_normal(s)); },
     [](double x) { return log_normal_pdf(std::log(x)) - std::log(x); },
     0.5 * std::log(2 * std::numbers::pi * std::numbers::e)},
    {"Cauchy", [](RandomStream& s) { return std::tan(std::numbers::pi * (s.uniform() - 0.5)); },
     [](double x) { return -std::log(std::numbers::pi) - std::log1p(x * x); }, std::log(4 * std::numbers::pi)},
    {"triangular", [](RandomStream& s) { return s.uniform() + s.uniform(); },
     [](double x) { return std::log(1 - std::abs(x - 1)); }, 0.5},
    {"chi-square 1",
     [](RandomStream& s) {
       const double z = one_normal(s);
       return z * z;
     },
     [](double x) { return log_normal_pdf(std::sqrt(x)) - 0.5 * std::log(x); },
     0.5 * std::log(2 * std::numbers::pi * std::numbers::e) - 0.5 * (std::numbers::egamma + std::numbers::ln2)},
    {"10 % narrow",
     [](RandomStream& s) {
       const double z = one_normal(s);
       return s.uniform() < 0.1 ? 1 + 0.05 * z : z;
     },
     [](double x) { return std::log(0.9 * normal_pdf(x) + 2 * normal_pdf((x - 1) / 0.05)); }, 1.3500141906323},
}};

inline arma::vec draw(const PanelDistribution& distribution, std::size_t n, std::uint64_t seed) {
  RandomStream stream(Seed{seed}, Purpose::test);
  arma::vec x(n);
  for (double& value : x) value = distribution.draw(stream);
  return x;
}

/// −mean log p(x_i): the entropy that the sample itself shows. It is unbiased, and what an estimate is in excess of it
/// varies far less than the estimate, so few samples show the estimate's bias.
inline double sample_entropy(const PanelDistribution& distribution, const arma::vec& x) {
  double sum = 0;
  for (const double value : x) sum -= distribution.log_density(value);
  return sum / static_cast<double>(x.n_elem);
}

}  // namespace gaussianize::testing
