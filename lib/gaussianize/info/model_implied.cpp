#include "gaussianize/info/model_implied.hpp"

#include <cmath>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;

ModelImplied model_implied(const Flow& flow, const arma::mat& x, const ModelImpliedOptions& options) {
  require(x.n_rows > 0, "model_implied: x has no rows; give at least 1");
  require(options.sample_rows > 0, "model_implied: sample_rows is 0; draw at least 1");
  const Execution execution{.threads = options.threads};
  const MarginalOptions marginal{.method = options.method, .threads = options.threads};
  const arma::vec data_density = log_density(flow, x, execution);
  const arma::mat draws = sample(flow, options.sample_rows, options.seed, execution);
  const arma::vec density = log_density(flow, draws, execution);

  ModelImplied implied;
  implied.sample_rows = options.sample_rows;
  implied.entropy = mean_estimate(-density);
  implied.cross_entropy = mean_estimate(-data_density);
  implied.excess = {implied.cross_entropy.value - implied.entropy.value,
                    std::hypot(implied.cross_entropy.standard_error, implied.entropy.standard_error)};
  implied.total_correlation = mean_estimate(marginal_entropy_values(draws, marginal) + density);
  implied.data_dependence = mean_estimate(marginal_entropy_values(x, marginal) + data_density);
  implied.model_columns = column_information(draws, marginal);
  implied.data_columns = column_information(x, marginal);
  return implied;
}

}  // namespace gaussianize
