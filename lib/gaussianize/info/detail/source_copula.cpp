#include "gaussianize/info/detail/source_copula.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/marginal/kde.hpp"
#include "gaussianize/rotation/ica.hpp"

namespace gaussianize::detail {
namespace {

/// Σ_k h(e_k) of every row.
arma::vec entropy_sums(const arma::mat& e, int threads) {
  return marginal_entropy_values(e, {.threads = threads});
}

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
  constexpr double min_eigenvalue = 0.2, max_entry = 0.2;
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
  const double maximum = arma::abs(step).max();
  return maximum > max_entry ? arma::mat(step * (max_entry / maximum)) : step;
}

double objective(const arma::mat& e, const arma::mat& w, int threads) {
  return arma::mean(entropy_sums(e, threads)) - arma::log_det(w).real();
}

/// How many shuffled copies of the rows make a column's distribution.
constexpr std::size_t copies = 4;
constexpr int refining_steps = 8;

arma::mat centred(const arma::mat& x) {
  return x.each_row() - arma::mean(x, 0);
}

/// Rows whose sources are independent: every column of e in an order of its own, several times over.
arma::mat shuffled(const arma::mat& e, Seed seed, std::size_t round) {
  arma::mat result(copies * e.n_rows, e.n_cols);
  for (arma::uword k = 0; k < e.n_cols; ++k) {
    RandomStream stream(seed, Purpose::shuffle, round * e.n_cols + k);
    for (std::size_t copy = 0; copy < copies; ++copy) {
      const std::vector<std::size_t> order = permutation(e.n_rows, stream);
      for (arma::uword i = 0; i < e.n_rows; ++i) result(copy * e.n_rows + i, k) = e(order[i], k);
    }
  }
  return result;
}

/// The means of the `copies` values that belong to each rank, of values in increasing order.
arma::vec by_rank(const arma::vec& sorted) {
  return arma::mean(arma::reshape(sorted, copies, sorted.n_elem / copies), 0).t();
}

/// Odd levels are half way between two ranks.
double at_level(const arma::vec& values, arma::uword level) {
  return 0.5 * (values[level / 2] + values[(level + 1) / 2]);
}

/// The columns on the scale on which they mix, the sum of their entropy terms, and both by rank.
struct Columns {
  arma::mat x;
  arma::vec entropy;
  arma::mat scale, scale_entropy;
};

Columns columns_of(const arma::mat& mixture, const Scores& scores, int threads) {
  Columns columns{
      arma::mat(arma::size(scores.z)), {}, arma::mat(arma::size(scores.z)), arma::mat(arma::size(scores.z))};
  arma::mat entropy(arma::size(scores.z));
  parallel_for(scores.columns(), threads, [&](std::size_t d) {
    const arma::vec sorted = arma::sort(mixture.col(d));
    const arma::vec value = by_rank(sorted), terms = by_rank(entropy_values(sorted));
    columns.scale.col(d) = value;
    columns.scale_entropy.col(d) = terms;
    for (std::size_t i = 0; i < scores.rows(); ++i) {
      columns.x(i, d) = at_level(value, scores.level(i, d));
      entropy(i, d) = at_level(terms, scores.level(i, d));
    }
  });
  columns.entropy = arma::sum(entropy, 1);
  return columns;
}

/// Ranks determine the columns' distributions to 1/√N only, which blurs sources with edges and so raises their
/// entropies. How much, the model itself gives: rows drawn from it are ranked, put on the scale of the columns, and
/// unmixed. The sources in hand are blurred once already; where there are edges, entropy grows with the blur's width,
/// so that a second blur of the same width adds √2 − 1 of what the first did.
double blur(const arma::mat& mixture, const IcaCopula& copula, int threads) {
  const std::size_t n = copula.sources.n_rows;
  arma::mat scale(n, mixture.n_cols);
  parallel_for(mixture.n_cols, threads, [&](std::size_t d) { scale.col(d) = by_rank(arma::sort(mixture.col(d))); });
  double entropy = 0;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    arma::mat x(n, mixture.n_cols);
    parallel_for(mixture.n_cols, threads, [&](std::size_t d) {
      const arma::uvec rank = ranks(mixture.submat(copy * n, d, (copy + 1) * n - 1, d));
      for (std::size_t i = 0; i < n; ++i) x(i, d) = scale(rank[i], d);
    });
    entropy += arma::mean(entropy_sums(centred(x) * copula.unmixing, threads)) / static_cast<double>(copies);
  }
  return (entropy - arma::mean(entropy_sums(copula.sources, threads))) / (std::sqrt(2.0) - 1);
}

Scores select_rows(const Scores& scores, const arma::uvec& rows) {
  return {scores.level.rows(rows), scores.quantile, scores.z.rows(rows), {}};
}

/// Rows ranked among themselves, as a sample of their own.
Scores ranked_rows(const Scores& scores, const arma::uvec& rows) {
  Scores part;
  const std::size_t n = rows.n_elem;
  part.level.set_size(n, scores.columns());
  part.z = scores.z.rows(rows);
  for (arma::uword d = 0; d < part.z.n_cols; ++d) part.level.col(d) = 2 * ranks(part.z.col(d));
  return part;
}

/// What other rows have in a table by rank: their ranks decide, by interpolation where they are not as many.
arma::mat by_rank_of(const arma::mat& table, const Scores& rows) {
  arma::mat x(arma::size(rows.z));
  const auto last = static_cast<double>(table.n_rows - 1);
  const double ratio = static_cast<double>(table.n_rows) / static_cast<double>(rows.rows());
  for (arma::uword d = 0; d < x.n_cols; ++d)
    for (arma::uword i = 0; i < x.n_rows; ++i) {
      const double at = std::clamp((static_cast<double>(rows.level(i, d)) / 2 + 0.5) * ratio - 0.5, 0.0, last);
      const auto k = std::min(static_cast<arma::uword>(at), table.n_rows - 2);
      const double t = at - static_cast<double>(k);
      x(i, d) = (1 - t) * table(k, d) + t * table(k + 1, d);
    }
  return x;
}

/// The terms of (C2) for columns on some scale.
arma::vec source_terms(const arma::mat& x, const arma::vec& column_entropy, const arma::mat& unmixing, int threads) {
  const BlasGuard blas;
  return column_entropy - entropy_sums((x.each_row() - arma::mean(x, 0)) * unmixing, threads) +
         arma::log_det(unmixing).real();
}

}  // namespace

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

IcaCopula fit_ica_copula(const Scores& scores, std::size_t rounds, const MeasureOptions& options) {
  Columns columns{scores.z, -log_normal_rows(scores.z), {}, {}};
  RandomStream stream(options.seed, Purpose::measure);
  const IcaResult found = ica(columns.x, stream, {.threads = options.threads});
  const BlasGuard blas;
  IcaCopula copula;
  copula.unmixing = found.whitening * found.q;
  arma::mat mixture;
  for (std::size_t round = 0; round < rounds; ++round) {
    if (round > 0) columns = columns_of(mixture, scores, options.threads);
    const arma::mat x = centred(columns.x);
    copula.unmixing = refine_unmixing(x, copula.unmixing, refining_steps, options.threads);
    copula.sources = x * copula.unmixing;
    mixture = shuffled(copula.sources, options.seed, round) * arma::inv(copula.unmixing);
  }
  copula.log_copula =
      columns.entropy - entropy_sums(copula.sources, options.threads) + arma::log_det(copula.unmixing).real();
  copula.scale = columns.scale;
  copula.scale_entropy = columns.scale_entropy;
  if (rounds > 1) copula.blur = blur(mixture, copula, options.threads);
  copula.log_copula += copula.blur;
  return copula;
}

bool sources_explain_more(const Scores& scores, const arma::vec& base, std::size_t rounds, double standard_errors,
                          const MeasureOptions& options) {
  constexpr std::size_t max_rows = 20000;
  const std::size_t rows = std::min(scores.rows(), max_rows);
  const arma::uvec seen = half_of_rows(rows, 0), unseen = half_of_rows(rows, 1);
  const IcaCopula normal_scale = fit_ica_copula(select_rows(scores, seen), 1, options);
  const arma::mat z = scores.z.rows(unseen);
  const arma::vec plain = source_terms(z, -log_normal_rows(z), normal_scale.unmixing, options.threads);
  if (exceeds(plain, base.elem(unseen), standard_errors)) return true;
  if (rounds < 2) return false;
  const IcaCopula own_scale = fit_ica_copula(ranked_rows(scores, seen), rounds, options);
  const Scores rest = ranked_rows(scores, unseen);
  const arma::vec column_entropy = arma::sum(by_rank_of(own_scale.scale_entropy, rest), 1);
  const arma::vec terms =
      source_terms(by_rank_of(own_scale.scale, rest), column_entropy, own_scale.unmixing, options.threads);
  return exceeds(terms, base.elem(unseen), standard_errors);
}

}  // namespace gaussianize::detail
