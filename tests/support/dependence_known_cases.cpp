#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "gaussianize/data/known_distribution.hpp"
#include "gaussianize/data/true_entropy.hpp"
#include "gaussianize/math/normal.hpp"

#include "support/dependence_rows.hpp"

namespace gaussianize::testing {
namespace {

using std::numbers::ln2;

/// The marginal densities of the sine chain, before any column is exponentiated: p₀ = φ and
/// p_{i+1}(x) = ∫ p_i(u) N(x; sin 2u, ¼) du, by the trapezoidal rule.
class SineChain {
 public:
  explicit SineChain(std::size_t columns) : density_(points, columns) {
    for (std::size_t k = 0; k < points; ++k) density_(k, 0) = normal_pdf(node(k));
    for (std::size_t i = 1; i < columns; ++i)
      for (std::size_t k = 0; k < points; ++k) density_(k, i) = marginal(i, node(k));
  }

  static double log_step(double from, double to) { return log_normal_pdf(2 * (to - std::sin(2 * from))) + ln2; }

  /// p_i(x), i > 0.
  double marginal(std::size_t i, double x) const {
    double sum = 0;
    for (std::size_t k = 0; k < points; ++k) {
      const double p = density_(k, i - 1);
      if (p > 1e-20) sum += p * std::exp(log_step(node(k), x));
    }
    return sum * step;
  }

  double total_correlation() const {
    double sum = -true_entropy(KnownDistribution::sine_chain, density_.n_cols);
    for (const double p : density_) sum += step * minus_p_log_p(p);
    return sum;
  }

 private:
  static constexpr std::size_t points = 321;
  static constexpr double step = 0.05;
  static double node(std::size_t k) { return step * (static_cast<double>(k) - 160); }

  arma::mat density_;  ///< of the nodes, by column
};

DependenceCase sine_chain(std::size_t columns) {
  const auto chain = std::make_shared<const SineChain>(columns);
  return {sized("sine chain", columns), DependenceQuantity::total_correlation, chain->total_correlation(),
          [columns, chain](std::size_t rows, Seed seed) {
            DependenceSample sample;
            sample.x = draw(KnownDistribution::sine_chain, rows, columns, seed).x;
            arma::mat chained = sample.x;
            for (std::size_t d = 1; d < columns; d += 2) chained.col(d) = arma::log(chained.col(d));
            sample.log_ratio.zeros(rows);
            for (std::size_t d = 1; d < columns; ++d)
              for (std::size_t i = 0; i < rows; ++i)
                sample.log_ratio[i] +=
                    SineChain::log_step(chained(i, d - 1), chained(i, d)) - std::log(chain->marginal(d, chained(i, d)));
            return sample;
          }};
}

double (*log_marginal(KnownDistribution kind))(double) {
  switch (kind) {
    case KnownDistribution::gaussian:
      return log_normal_pdf;
    case KnownDistribution::student_t:
    case KnownDistribution::student_t_ar1:
      return [](double x) { return student_log_density(&x, 1, student_t_freedom); };
    case KnownDistribution::gaussian_mixture:
      return [](double x) { return std::log(0.5 * (normal_pdf(x - 1) + normal_pdf(x + 1))); };
    default:
      return nullptr;
  }
}

DependenceCase known(const std::string& name, KnownDistribution kind, std::size_t columns) {
  return {sized(name, columns), DependenceQuantity::total_correlation, true_total_correlation(kind, columns).value(),
          [kind, columns](std::size_t rows, Seed seed) {
            KnownSample drawn = draw(kind, rows, columns, seed);
            DependenceSample sample;
            sample.x = std::move(drawn.x);
            const auto log_density = log_marginal(kind);
            if (!log_density) return sample;
            sample.log_ratio = std::move(drawn.log_density);
            for (std::size_t d = 0; d < columns; ++d)
              for (std::size_t i = 0; i < rows; ++i) sample.log_ratio[i] -= log_density(sample.x(i, d));
            return sample;
          }};
}

}  // namespace

std::vector<DependenceCase> known_dependence_cases() {
  std::vector<DependenceCase> cases;
  for (const std::size_t d : {2, 3, 5, 10}) cases.push_back(sine_chain(d));
  for (const std::size_t d : {2, 3, 5, 10}) {
    cases.push_back(known("rotated uniform", KnownDistribution::rotated_uniform, d));
    cases.push_back(known("rotated Laplace", KnownDistribution::laplace_mix, d));
  }
  for (const std::size_t d : {2, 3, 10}) {
    cases.push_back(known("gaussian AR(1)", KnownDistribution::gaussian, d));
    cases.push_back(known("gaussian copula", KnownDistribution::gaussian_copula, d));
    cases.push_back(known("student-t", KnownDistribution::student_t, d));
    cases.push_back(known("student-t AR(1)", KnownDistribution::student_t_ar1, d));
    cases.push_back(known("gaussian mixture", KnownDistribution::gaussian_mixture, d));
  }
  return cases;
}

}  // namespace gaussianize::testing
