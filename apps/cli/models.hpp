#pragma once

#include <string>

#include <armadillo>

#include "gaussianize/io/model_file.hpp"
#include "gaussianize/io/table.hpp"

#include "cli/arguments.hpp"

namespace gaussianize {

/// Model files as the commands read and write them: "-" is standard input or output.
Model read_model(const std::string& path);
void write_model(const Model& model, const std::string& path);

/// The rows of a table as the model takes them, see match_columns.
arma::mat load_rows_for(const Arguments& arguments, const Model& model, const std::string& path,
                        TableReport* report = nullptr);

/// The model's column names, or c0, c1, … if it has none.
std::vector<std::string> column_names(const Model& model);

}  // namespace gaussianize
