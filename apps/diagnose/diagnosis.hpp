#pragma once

#include <optional>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/info/entropy.hpp"
#include "gaussianize/info/kl_account.hpp"
#include "gaussianize/info/kl_trace.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/info/normality.hpp"

#include "cli/arguments.hpp"
#include "cli/json.hpp"

namespace gaussianize {

/// What each layer of a model removes of J, and what remains after the last.
struct ModelDiagnosis {
  std::string name;
  KlTrace trace;
  NormalityReport remains;          ///< of the rows in Gaussian space
  std::optional<Estimate> learned;  ///< from chance, if its training rows are known
};

/// The distance of rows from N(0, I), and the columns, pairs and layers that contribute to it. All of it is about the
/// same rows.
struct Diagnosis {
  std::vector<std::string> columns;
  KlAccount account;                         ///< J = I + J_m of the standardised rows, and what the models leave
  std::vector<ColumnInformation> marginals;  ///< one a column
  PairwiseInformation pairs;
  std::vector<ModelDiagnosis> models;
  std::string ties;  ///< what is to be said of repeated values; empty: nothing

  std::vector<std::string> names() const;  ///< of the models
};

/// Column numbers by their contribution to J_m, largest first.
std::vector<std::size_t> ranked_columns(const Diagnosis& diagnosis);

/// What was concluded: J and what it rests on, then what each model leaves.
std::vector<std::string> findings(const Diagnosis& diagnosis);

/// As text for people: the decomposition, the largest columns and pairs, the layers side by side, what remains.
std::string diagnosis_text(const Diagnosis& diagnosis);

/// All of it, every column, pair and layer.
void fill_json(const Diagnosis& diagnosis, Json& json);

}  // namespace gaussianize
