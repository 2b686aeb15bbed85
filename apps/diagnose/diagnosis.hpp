#pragma once

#include <optional>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/info/decompose.hpp"
#include "gaussianize/info/entropy.hpp"
#include "gaussianize/info/kl_trace.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/info/normality.hpp"

#include "cli/arguments.hpp"
#include "cli/json.hpp"

namespace gaussianize {

/// I and J_m of rows after each layer of a model, and what remains after the last.
struct ModelDiagnosis {
  std::string name;
  KlTrace trace;
  NormalityReport remains;          ///< of the rows in Gaussian space
  std::optional<KlTrace> training;  ///< of its training rows, if they are known
};

/// The distance of data from N(0, I), and the columns, pairs and layers that contribute to it.
struct Diagnosis {
  std::vector<std::string> columns;
  KlDecomposition decomposition;             ///< J = I + J_m of the standardised rows
  std::vector<ColumnInformation> marginals;  ///< one a column
  PairwiseInformation pairs;
  std::vector<ModelDiagnosis> models;
};

/// Column numbers by their contribution to J_m, largest first.
std::vector<std::size_t> ranked_columns(const Diagnosis& diagnosis);

/// A message where J and I + J_m, which are equal, are estimated more than three standard errors apart; else empty.
std::string disagreement(const KlDecomposition& decomposition);

/// As text for people: the decomposition, the largest columns and pairs, the layers side by side, what remains.
std::string diagnosis_text(const Diagnosis& diagnosis);

/// All of it, every column, pair and layer.
void fill_json(const Diagnosis& diagnosis, Json& json);

}  // namespace gaussianize
