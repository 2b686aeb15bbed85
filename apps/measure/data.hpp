#pragma once

#include <optional>
#include <string>

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/io/table.hpp"

#include "cli/arguments.hpp"

namespace gaussianize {

/// What is measured: one table or, for a divergence, two of the same columns.
struct MeasuredData {
  Table first;
  arma::mat second;
  std::optional<Flow> model;  ///< of --model
  std::string source;
  std::optional<double> truth;  ///< nats, where it is known
};

/// Reads the tables and the model that the command line names, or draws rows of a built-in distribution. Throws
/// DataError for a column without variation.
MeasuredData load_measured(const Arguments& arguments, const std::string& quantity);

/// Throws UsageError if a column is in two of the groups --x, --y and --given: its information on itself is infinite.
void check_groups(const Arguments& arguments, const MeasuredData& data);

/// The columns that the option names.
arma::mat column_group(const Arguments& arguments, const MeasuredData& data, const char* option);

}  // namespace gaussianize
