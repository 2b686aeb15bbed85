#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/math/estimate.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Values implied by a model beside those of data, in nats.
struct ModelImplied {
  std::size_t sample_rows = 0;
  Estimate entropy;            ///< of the model itself: −E log p over its own draws
  Estimate cross_entropy;      ///< −E log p over the data: their entropy and their divergence from the model
  Estimate excess;             ///< cross_entropy − entropy; for a true model zero
  Estimate total_correlation;  ///< of the model: Σ_d H(x_d) − H(x) of its draws
  Estimate data_dependence;    ///< Σ_d H(x_d) of the data − cross_entropy: at most the data's total correlation
  std::vector<ColumnInformation> model_columns, data_columns;
};

struct ModelImpliedOptions {
  std::size_t sample_rows = 10000;
  Seed seed{};
  EntropyMethod method = EntropyMethod::spacing;
  int threads = 0;
};

/// Compares draws from the flow with the rows of x, best with rows it was not fitted to. Differences within the
/// draws and within the data have the standard errors of the rows' own differences; draws and data are independent.
/// Throws as sample, log_density and column_information do, and std::invalid_argument without rows or draws.
ModelImplied model_implied(const Flow& flow, const arma::mat& x, const ModelImpliedOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
