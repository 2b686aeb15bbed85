#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/math/estimate.hpp"

#include "cli/evaluation.hpp"
#include "cli/json.hpp"

namespace gaussianize {

/// The result of compare: evaluations of the models, and of the true distribution where it is known.
struct Comparison {
  std::vector<Evaluation> models;  ///< gaussian, rbig, gf
  std::vector<Estimate>
      remaining_i;  ///< total correlation of each model's Gaussianized test rows; NaN if they are too few
  std::vector<Estimate> remaining_j_m;  ///< of each model's Gaussianized test rows
  arma::vec truth;                      ///< true log density of the test rows; empty if it is not known
  Estimate difference;                  ///< NLL of GF minus that of RBIG, row by row
  std::size_t dimension = 0;
};

/// Summarises complete evaluations.
Comparison sum_up(std::vector<Evaluation> models, arma::vec truth, std::size_t dimension, int threads);

/// The table, a model a line; and a sentence on GF against RBIG.
std::string comparison_table(const Comparison& comparison);
std::string verdict(const Comparison& comparison);

/// Whether GF is worse than RBIG by more than two standard errors.
bool gf_is_worse(const Comparison& comparison);

void fill_json(const Comparison& comparison, Json& json);

}  // namespace gaussianize
