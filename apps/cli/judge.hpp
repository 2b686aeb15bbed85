#pragma once

#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/math/estimate.hpp"

namespace gaussianize {
using namespace detail;

/// What test rows say of a model. Judgements of several folds are joined before they are summed up.
struct Judgement {
  std::string name;
  arma::vec log_density;  ///< of every test row, nats
  arma::mat z;            ///< the test rows in Gaussian space
  double fit_seconds = 0.0;
  double score_rate = 0.0, sample_rate = 0.0;  ///< rows per second
  double round_trip = 0.0;                     ///< largest |x − inverse(forward(x))|/(1 + |x|)
  double draws_farthest = 0.0;                 ///< of as many draws as test rows: the most ranges beyond those
  std::size_t layers = 0;

  Estimate nll() const { return mean_estimate(-log_density); }
};

/// Scores, samples and inverts the test rows. Rates come from repetitions that take a twentieth of a second or more.
Judgement judge(std::string name, const Flow& flow, const arma::mat& test, double fit_seconds, Seed seed, int threads);

/// Adds another fold's judgement: rows are joined, times added, rates averaged over rows, the worst error kept.
void join(Judgement& all, const Judgement& fold);

}  // namespace gaussianize
