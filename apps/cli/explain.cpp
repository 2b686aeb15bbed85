#include "cli/explain.hpp"

#include <algorithm>

namespace gaussianize {
namespace {

constexpr arma::uword candidates = 64;
constexpr std::size_t draws = 4096;

/// candidates × D: quantiles of every column of the model's own draws.
arma::mat typical_values(const Flow& flow, Seed seed, const Execution& execution) {
  const arma::mat drawn = arma::sort(sample(flow, draws, seed, execution));
  arma::mat values(candidates, drawn.n_cols);
  for (arma::uword i = 0; i < candidates; ++i) values.row(i) = drawn.row((2 * i + 1) * drawn.n_rows / (2 * candidates));
  return values;
}

}  // namespace

std::vector<std::vector<Contribution>> explain(const Flow& flow, const arma::mat& rows, Seed seed,
                                               const Execution& execution) {
  const arma::mat values = typical_values(flow, seed, execution);
  const arma::vec log_p = log_density(flow, rows, execution);
  std::vector<std::vector<Contribution>> explained(rows.n_rows);
  for (arma::uword i = 0; i < rows.n_rows; ++i) {
    auto& contributions = explained[i];
    for (arma::uword d = 0; d < rows.n_cols; ++d) {
      arma::mat changed = arma::repmat(rows.row(i), candidates, 1);
      changed.col(d) = values.col(d);
      const arma::vec tried = log_density(flow, changed, execution);
      const arma::uword best = tried.index_max();
      const bool better = tried[best] > log_p[i];
      contributions.push_back(
          {d, rows(i, d), better ? values(best, d) : rows(i, d), better ? tried[best] - log_p[i] : 0.0});
    }
    std::stable_sort(contributions.begin(), contributions.end(),
                     [](const Contribution& a, const Contribution& b) { return a.nats > b.nats; });
  }
  return explained;
}

}  // namespace gaussianize
