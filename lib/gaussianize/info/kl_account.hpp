#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/info/kl_trace.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/math/estimate.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// A model on the rows of an account: rows that it was not fitted to.
struct ModelRows {
  arma::vec log_density;  ///< of every row, nats, in the data's units
  arma::mat z;            ///< the rows Gaussianized
};

/// What J is measured from.
enum class JSource {
  none,      ///< nothing is known: fewer than 3 rows, or a constant column
  truth,     ///< the true log density
  model,     ///< a model's log density, and what the measures find in its Gaussianized rows
  measures,  ///< what the measures find in the standardised rows: I by ranks, J_m by entropies
};

/// What a model leaves: J = I + J_m of its Gaussianized rows, which is its distance D_KL(truth ‖ model), since the map
/// is a bijection. J_m comes from entropies, I is the rest.
struct KlRemainder {
  Estimate j, i, j_m;  ///< NaN where unknown
};

/// One J for one data set. Whatever is not found in the rows is missing from J, from I and from what every model
/// leaves, by the same amount: `bound` is then true, and J, I and the remainders' J and I are lower bounds.
struct KlAccount {
  JSource source = JSource::none;
  std::size_t model = 0;  ///< the one that J is measured from, if source is JSource::model
  KlReference reference;  ///< for kl_trace: all traces then start at `j`, and end at what the model leaves
  Estimate j;             ///< of the rows standardised by reference.standardisation; NaN where unknown
  Estimate i, j_m;        ///< of the same rows; j = i + j_m
  bool bound = true;
  bool suspect = false;               ///< as Measure::suspect, for what the measures found
  std::vector<std::string> warnings;  ///< of the measures
  std::string method;                 ///< how I was measured, in the rows that J is measured from; empty if it was not
  std::vector<MeasureCandidate> candidates;  ///< what was tried for that, as Measure::candidates
  std::vector<KlRemainder> left;             ///< one a model
};

struct KlAccountOptions {
  arma::vec true_log_density = {};  ///< of every row; empty: not known
  std::size_t max_rows = 10'000;    ///< more rows than that are thinned evenly before I is measured
  Seed seed{};
  int threads = 0;
};

/// Estimates J of the rows once, and what each model leaves of it. J is the mean of log p(x) − log N(y; 0, I), for y
/// the rows standardised by their own mean and standard deviation, and p the truth where it is known. Otherwise log p
/// is bounded from below by the model with the largest mean log density, and by I + J_m as far as the measures find
/// them in its Gaussianized rows; and by I + J_m of the standardised rows, if that is higher by two standard errors of
/// the rows' differences.
///
/// What a model leaves is the mean of log p less its log density. So what two models leave differs by exactly the mean
/// difference of their log densities. Standard errors are those of the rows' terms, to which that of I is added in
/// quadrature where its terms do not show it. Nothing is measured in fewer than 20 rows: the bounds are then the
/// models' log densities alone, without a standard error, and what is left is not split.
///
/// Throws std::invalid_argument where the numbers of rows or columns disagree, or the rows hold a value that is not
/// finite.
KlAccount kl_account(const arma::mat& x, const std::vector<ModelRows>& models, const KlAccountOptions& options = {});

/// What a model learned by heart: how much larger its mean log density is on the rows it was fitted to than on others,
/// whose errors are independent. No measure of its Gaussianized rows sees that.
Estimate learned_from_chance(const Estimate& training_log_density, const Estimate& test_log_density);

}  // namespace gaussianize
#pragma GCC visibility pop
