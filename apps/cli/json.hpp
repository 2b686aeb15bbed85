#pragma once

#include <map>
#include <string>

#include <armadillo>
#include <nlohmann/json.hpp>

#include "gaussianize/io/table.hpp"
#include "gaussianize/math/estimate.hpp"

#include "cli/arguments.hpp"

namespace gaussianize {

/// Keys stay in the order in which they were set. Numbers that are not finite are written as null.
using Json = nlohmann::ordered_json;

/// What the result of every command begins with: command, version, seed.
Json begin_json(const Arguments& arguments);

/// Whether standard output is taken by the JSON, so that nothing else may go there.
bool json_takes_output(const Arguments& arguments);

/// Writes the result to the file of --json, if it is given. A file is replaced as a whole.
void write_json(const Arguments& arguments, const Json& result);

/// Prints text to standard output, unless the JSON goes there.
void print(const Arguments& arguments, const std::string& text);

Json json_numbers(const arma::vec& values);

/// Settings and results of a model file, which keeps them as text: numbers and switches with their JSON types.
Json typed_json(const std::map<std::string, std::string>& settings);

/// {"value", "standard_error"}.
Json as_json(const Estimate& estimate);

/// Puts a table of results where it belongs: into the file --output; into `result` as columns and values, if standard
/// output is the JSON's; else as CSV to standard output. Sets rows, columns and output of `result` in any case.
void write_rows(const Arguments& arguments, const Table& table, Json& result);

/// The option that write_rows uses.
Option output_option(std::string help);

}  // namespace gaussianize
