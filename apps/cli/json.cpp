#include "cli/json.hpp"

#include <charconv>
#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/version.hpp"

namespace gaussianize {
using namespace detail;

Json begin_json(const Arguments& arguments) {
  Json json;
  json["command"] = arguments.command().name;
  json["version"] = version;
  // What else the numbers may depend on in their last digits.
  json["versions"] = {
      {"gaussianize", version}, {"armadillo", arma::arma_version::as_string()}, {"compiler", __VERSION__}};
  json["seed"] = arguments.seed().value;
  return json;
}

bool json_takes_output(const Arguments& arguments) {
  return arguments.text("json") == "-";
}

void write_json(const Arguments& arguments, const Json& result) {
  const std::string& path = arguments.text("json");
  if (path.empty()) return;
  // Names of columns may be any bytes: what is no UTF-8 is replaced rather than refused.
  const std::string text = result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  if (path == "-")
    std::cout << text;
  else
    write_file_atomically(path, std::as_bytes(std::span(text)));
}

void print(const Arguments& arguments, const std::string& text) {
  if (!json_takes_output(arguments)) std::cout << text;
}

Json typed_json(const std::map<std::string, std::string>& settings) {
  Json json = Json::object();
  for (const auto& [key, text] : settings) {
    const char* const end = text.data() + text.size();
    std::uint64_t count = 0;
    double number = 0;
    if (text == "true" || text == "false")
      json[key] = text == "true";
    else if (const auto read = std::from_chars(text.data(), end, count); read.ec == std::errc{} && read.ptr == end)
      json[key] = count;
    else if (const auto real = std::from_chars(text.data(), end, number); real.ec == std::errc{} && real.ptr == end)
      json[key] = number;
    else
      json[key] = text;
  }
  return json;
}

Json json_numbers(const arma::vec& values) {
  return std::vector<double>(values.begin(), values.end());
}

Json as_json(const Estimate& estimate) {
  return {{"value", estimate.value}, {"standard_error", estimate.standard_error}};
}

void write_rows(const Arguments& arguments, const Table& table, Json& result) {
  const std::string& path = arguments.text("output");
  result["rows"] = table.values.n_rows;
  result["columns"] = table.columns;
  if (path.empty() && json_takes_output(arguments)) {
    Json rows = Json::array();
    for (arma::uword i = 0; i < table.values.n_rows; ++i) rows.push_back(json_numbers(table.values.row(i).t()));
    result["values"] = std::move(rows);
    return;
  }
  result["output"] = path.empty() ? "-" : path;
  if (path == "-" && json_takes_output(arguments))
    arguments.refuse("--output - and --json - both ask for standard output; give one of them a file");
  write_table(table, path.empty() ? "-" : path);
}

Option output_option(std::string help) {
  return {"output", OptionKind::written, std::move(help), "FILE", "", 'o'};
}

}  // namespace gaussianize
