#pragma once

#include <string>
#include <vector>

#include <armadillo>

#include "cli/arguments.hpp"
#include "fitting/fitting.hpp"

namespace gaussianize {

/// Training and validation rows, and test rows to evaluate the models on.
struct ComparisonFold {
  FitData fit;
  arma::mat test;
  arma::vec true_log_density;  ///< of the test rows; empty if it is not known
};

/// The folds that the options ask for: one, or those of --cross-validate, whose test rows together are all rows.
/// Without DATA rows of a built-in distribution are drawn. Constant columns are dealt with. `source` is set to what a
/// reader should know of the data.
std::vector<ComparisonFold> comparison_folds(const Arguments& arguments, std::string& source);

/// The options that comparison_folds uses.
OptionGroup comparison_data_options();

}  // namespace gaussianize
