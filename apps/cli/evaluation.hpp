#pragma once

#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/math/estimate.hpp"

namespace gaussianize {

/// A model on test rows. Evaluations of several folds are joined before they are summarised.
struct Evaluation {
  std::string name;
  arma::vec log_density;  ///< of every test row, nats
  arma::mat z;            ///< the test rows in Gaussian space
  double fit_seconds = 0.0;
  double score_rate = 0.0, sample_rate = 0.0;  ///< rows per second
  double round_trip = 0.0;                     ///< largest |x − inverse(forward(x))|/(1 + |x|)
  double draws_farthest = 0.0;  ///< of as many draws as test rows, beyond the range of those: the maximum, in ranges
  std::size_t layers = 0;
  Estimate training;  ///< mean log density of the rows it was fitted to

  Estimate nll() const { return mean_estimate(-log_density); }
};

/// Scores, samples and inverts the test rows, and scores the training rows. Rates come from repetitions that take a
/// twentieth of a second or more.
Evaluation evaluate(std::string name, const Flow& flow, const arma::mat& training, const arma::mat& test,
                    double fit_seconds, Seed seed, int threads);

/// Adds another fold's evaluation: rows are joined, times added, rates and the training rows' density averaged
/// over test rows, the maximum error kept. Folds share training rows: their standard errors are averaged too.
void join(Evaluation& all, const Evaluation& fold);

}  // namespace gaussianize
