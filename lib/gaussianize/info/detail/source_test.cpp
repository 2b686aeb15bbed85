#include "gaussianize/info/detail/source_test.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/info/detail/ica_copula.hpp"
#include "gaussianize/info/detail/ica_refine.hpp"
#include "gaussianize/info/detail/residual_flow.hpp"

namespace gaussianize::detail {
namespace {

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

bool exceeds(const arma::vec& better, const arma::vec& base, double standard_errors) {
  const Estimate gain = mean_estimate(better - base);
  return gain.value > standard_errors * gain.standard_error;
}

bool sources_explain_more(const Scores& scores, const arma::vec& base, std::size_t rounds, double standard_errors,
                          const MeasureOptions& options) {
  constexpr std::size_t max_rows = 20000;
  const std::size_t rows = std::min(scores.rows(), max_rows);
  const arma::uvec seen = half_of_rows(rows, 0), judging = half_of_rows(rows, 1);
  const IcaCopula normal_scale = fit_ica_copula(select_rows(scores, seen), 1, options);
  const arma::mat z = scores.z.rows(judging);
  const arma::vec plain = source_terms(z, -log_normal_rows(z), normal_scale.unmixing, options.threads);
  if (exceeds(plain, base.elem(judging), standard_errors)) return true;
  if (rounds < 2) return false;
  const IcaCopula own_scale = fit_ica_copula(ranked_rows(scores, seen), rounds, options);
  const Scores rest = ranked_rows(scores, judging);
  const arma::vec column_entropy = arma::sum(by_rank_of(own_scale.scale_entropy, rest), 1);
  const arma::vec terms =
      source_terms(by_rank_of(own_scale.scale, rest), column_entropy, own_scale.unmixing, options.threads);
  return exceeds(terms, base.elem(judging), standard_errors);
}

}  // namespace gaussianize::detail
