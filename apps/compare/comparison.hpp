#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"
#include "gaussianize/info/kl_account.hpp"
#include "gaussianize/math/estimate.hpp"

#include "cli/evaluation.hpp"
#include "cli/json.hpp"

namespace gaussianize {

/// The result of compare: evaluations of the models, and of the true distribution where it is known.
struct Comparison {
  std::vector<Evaluation> models;  ///< gaussian, rbig, gf
  KlAccount account;               ///< J of the test rows, and what each model leaves of it
  arma::vec truth;                 ///< true log density of the test rows; empty if it is not known
  Estimate difference;             ///< NLL of GF minus that of RBIG, row by row
  std::size_t dimension = 0;

  Estimate learned_from_chance(std::size_t m) const;
  Estimate above_truth(std::size_t m) const;  ///< where the truth is known
  std::vector<std::string> names() const;
};

/// Summarises complete evaluations of the test rows.
Comparison sum_up(std::vector<Evaluation> models, const arma::mat& test, arma::vec truth, Seed seed, int threads);

/// Likelihoods and speed, then what is left, each a table with a model a line.
std::string comparison_table(const Comparison& comparison);

/// What was concluded: a sentence on GF against RBIG, then those on J and what they rest on.
std::vector<std::string> findings(const Comparison& comparison);

/// GF against RBIG.
std::string verdict(const Comparison& comparison);

/// Whether GF is worse than RBIG by more than two standard errors.
bool gf_is_worse(const Comparison& comparison);

void fill_json(const Comparison& comparison, Json& json);

}  // namespace gaussianize
