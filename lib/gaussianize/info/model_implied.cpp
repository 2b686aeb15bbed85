#include "gaussianize/info/model_implied.hpp"

#include <cmath>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;

ModelImplied model_implied(const Flow& flow, const arma::mat& x, const ModelImpliedOptions& options) {
  require(x.n_rows > 0, "model_beliefs: x has no rows; give at least 1");
  require(options.sample_rows > 0, "model_beliefs: sample_rows is 0; draw at least 1");
  const Execution execution{.threads = options.threads};
  const MarginalOptions marginal{.method = options.method, .threads = options.threads};
  const arma::vec data_density = log_density(flow, x, execution);
  const arma::mat draws = sample(flow, options.sample_rows, options.seed, execution);
  const arma::vec density = log_density(flow, draws, execution);

  ModelImplied beliefs;
  beliefs.sample_rows = options.sample_rows;
  beliefs.entropy = mean_estimate(-density);
  beliefs.cross_entropy = mean_estimate(-data_density);
  beliefs.excess = {beliefs.cross_entropy.value - beliefs.entropy.value,
                    std::hypot(beliefs.cross_entropy.standard_error, beliefs.entropy.standard_error)};
  beliefs.total_correlation = mean_estimate(marginal_entropy_values(draws, marginal) + density);
  beliefs.data_dependence = mean_estimate(marginal_entropy_values(x, marginal) + data_density);
  beliefs.model_columns = column_information(draws, marginal);
  beliefs.data_columns = column_information(x, marginal);
  return beliefs;
}

}  // namespace gaussianize
