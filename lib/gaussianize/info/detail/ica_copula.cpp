#include "gaussianize/info/detail/ica_copula.hpp"

#include <cmath>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/info/detail/ica_refine.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/rotation/ica.hpp"

namespace gaussianize::detail {
namespace {

/// How many shuffled copies of the rows make a column's law.
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
    const arma::vec law = arma::sort(mixture.col(d));
    const arma::vec value = by_rank(law), terms = by_rank(entropy_values(law));
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

/// Ranks know the columns' laws to 1/√N only, which blurs sources with edges and so raises their entropies. How much,
/// the model itself says: rows drawn from it are ranked, put on the scale of the columns, and unmixed. The sources in
/// hand are blurred once already; where there are edges, entropy grows with the blur's width, so that a second blur of
/// the same width adds √2 − 1 of what the first did.
double blur(const arma::mat& mixture, const IcaCopula& copula, int threads) {
  const std::size_t n = copula.sources.n_rows;
  arma::mat law(n, mixture.n_cols);
  parallel_for(mixture.n_cols, threads, [&](std::size_t d) { law.col(d) = by_rank(arma::sort(mixture.col(d))); });
  double entropy = 0;
  for (std::size_t copy = 0; copy < copies; ++copy) {
    arma::mat x(n, mixture.n_cols);
    parallel_for(mixture.n_cols, threads, [&](std::size_t d) {
      const arma::uvec rank = ranks(mixture.submat(copy * n, d, (copy + 1) * n - 1, d));
      for (std::size_t i = 0; i < n; ++i) x(i, d) = law(rank[i], d);
    });
    entropy += arma::mean(entropy_sums(centred(x) * copula.unmixing, threads)) / static_cast<double>(copies);
  }
  return (entropy - arma::mean(entropy_sums(copula.sources, threads))) / (std::sqrt(2.0) - 1);
}

}  // namespace

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

}  // namespace gaussianize::detail
