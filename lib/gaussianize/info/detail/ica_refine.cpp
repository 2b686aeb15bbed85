#include "gaussianize/info/detail/ica_refine.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/marginal/kde.hpp"

namespace gaussianize::detail {
namespace {

/// ψ = −(log f)′ at every row of a column, f a kernel estimate, by central differences half a bandwidth wide.
arma::vec score_function(const arma::vec& e) {
  const double h = select_bandwidth(e.memptr(), e.n_elem, BandwidthRule::rule_of_thumb);
  const MonotoneSpline table = kde_spline(e.memptr(), e.n_elem, h);
  const auto log_density = [&](double shift) {
    const arma::vec at = e + shift;
    arma::vec z(e.n_elem), slope(e.n_elem);
    forward(table, at.memptr(), z.memptr(), slope.memptr(), e.n_elem);
    return arma::vec(arma::log(slope) - 0.5 * arma::square(z));
  };
  return (log_density(-h / 2) - log_density(h / 2)) / h;
}

/// What the Newton step needs of the sources: G = eᵀψ(e)/N − I, Fisher informations κ and variances.
struct Derivatives {
  arma::mat gradient;
  arma::rowvec information, variance;
};

Derivatives derivatives(const arma::mat& e, int threads) {
  const auto n = static_cast<double>(e.n_rows);
  arma::mat psi(arma::size(e));
  parallel_for(e.n_cols, threads, [&](std::size_t k) { psi.col(k) = score_function(e.col(k)); });
  const BlasGuard blas;
  Derivatives result{e.t() * psi / n - arma::eye(e.n_cols, e.n_cols), arma::mean(arma::square(psi), 0),
                     arma::mean(arma::square(e), 0)};
  return result;
}

/// The step E of e ← e(I + E): a 2×2 system for every pair of sources, kept positive definite where both are nearly
/// normal and their directions are free.
arma::mat newton_step(const Derivatives& d) {
  constexpr double min_eigenvalue = 0.2, largest_entry = 0.2;
  const arma::uword size = d.gradient.n_cols;
  arma::mat step(size, size, arma::fill::zeros);
  for (arma::uword i = 0; i < size; ++i)
    for (arma::uword j = i + 1; j < size; ++j) {
      double a = d.information[j] * d.variance[i], b = d.information[i] * d.variance[j];
      const double smaller = 0.5 * (a + b) - std::hypot(0.5 * (a - b), 1.0);
      const double raise = std::max(0.0, min_eigenvalue - smaller);
      a += raise;
      b += raise;
      const double det = a * b - 1;
      step(i, j) = -(b * d.gradient(i, j) - d.gradient(j, i)) / det;
      step(j, i) = -(a * d.gradient(j, i) - d.gradient(i, j)) / det;
    }
  const double most = arma::abs(step).max();
  return most > largest_entry ? arma::mat(step * (largest_entry / most)) : step;
}

double objective(const arma::mat& e, const arma::mat& w, int threads) {
  return arma::mean(entropy_sums(e, threads)) - arma::log_det(w).real();
}

}  // namespace

arma::vec entropy_sums(const arma::mat& e, int threads) {
  arma::mat values(arma::size(e));
  parallel_for(e.n_cols, threads, [&](std::size_t k) { values.col(k) = entropy_values(e.col(k)); });
  return arma::sum(values, 1);
}

arma::mat refine_unmixing(const arma::mat& x, const arma::mat& start, int max_steps, int threads) {
  constexpr double min_gain = 1e-4;  // nats per source
  constexpr int halvings = 4;
  const BlasGuard blas;
  arma::mat w = start, e = x * w;
  double value = objective(e, w, threads);
  for (int iteration = 0; iteration < max_steps; ++iteration) {
    arma::mat step = newton_step(derivatives(e, threads));
    bool improved = false, enough = false;
    for (int attempt = 0; attempt < halvings && !improved; ++attempt, step *= 0.5) {
      const arma::mat next_w = w + w * step, next_e = e + e * step;
      const double next = objective(next_e, next_w, threads);
      if (!(next < value)) continue;
      improved = true;
      enough = value - next > min_gain * static_cast<double>(w.n_cols);
      w = next_w;
      e = next_e;
      value = next;
    }
    if (!enough) break;
  }
  return w;
}

}  // namespace gaussianize::detail
