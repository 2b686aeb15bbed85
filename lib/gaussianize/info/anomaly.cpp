#include "gaussianize/info/anomaly.hpp"

#include <algorithm>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// More rows would make model files larger and the tail probability no more useful.
constexpr arma::uword max_calibration_rows = 20000;

constexpr arma::uword candidates = 64;
constexpr std::size_t draws = 4096;

/// candidates × D: quantiles of every column of draws from the flow.
arma::mat typical_values(const Flow& flow, Seed seed, const Execution& execution) {
  const arma::mat drawn = arma::sort(sample(flow, draws, seed, execution));
  arma::mat values(candidates, drawn.n_cols);
  for (arma::uword i = 0; i < candidates; ++i) values.row(i) = drawn.row((2 * i + 1) * drawn.n_rows / (2 * candidates));
  return values;
}

}  // namespace

Calibration calibrate(const Flow& flow, const arma::mat& rows, const Execution& execution) {
  require(rows.n_rows > 0, "calibrate: there are no rows; give some that the flow was not fitted to");
  const arma::uword stride = (rows.n_rows + max_calibration_rows - 1) / max_calibration_rows;
  const arma::vec log_p =
      arma::sort(log_density(flow, rows.rows(arma::regspace<arma::uvec>(0, stride, rows.n_rows - 1)), execution));
  return {log_p.begin(), log_p.end()};
}

double tail_probability(const Calibration& calibration, double log_density) {
  const auto below = std::upper_bound(calibration.begin(), calibration.end(), log_density) - calibration.begin();
  return (1.0 + static_cast<double>(below)) / (1.0 + static_cast<double>(calibration.size()));
}

arma::vec tail_probability(const Calibration& calibration, const arma::vec& log_density) {
  arma::vec tail = log_density;
  tail.transform([&](double value) { return tail_probability(calibration, value); });
  return tail;
}

std::vector<std::vector<ColumnContribution>> explain_rows(const Flow& flow, const arma::mat& rows, Seed seed,
                                                          const Execution& execution) {
  const arma::vec log_p = log_density(flow, rows, execution);
  const arma::mat values = typical_values(flow, seed, execution);
  std::vector<std::vector<ColumnContribution>> explained(rows.n_rows);
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
                     [](const auto& a, const auto& b) { return a.nats > b.nats; });
  }
  return explained;
}

}  // namespace gaussianize
