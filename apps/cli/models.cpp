#include "cli/models.hpp"

#include <iostream>
#include <iterator>

#include "gaussianize/io/detail/model_bytes.hpp"

#include "cli/interrupt.hpp"
#include "cli/tables.hpp"

namespace gaussianize {
using namespace detail;

Model read_model(const std::string& path) {
  const EndsAtOnce waiting;
  if (path != "-") return load_model(path);
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  return decode_model(std::as_bytes(std::span(text)), "standard input");
}

void write_model(const Model& model, const std::string& path) {
  if (path != "-") return save_model(model, path);
  const auto bytes = encode_model(model);
  std::cout.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

arma::mat load_rows_for(const Arguments& arguments, const Model& model, const std::string& path, TableReport* report) {
  const Table table = load_table(arguments, path, report);
  return match_columns(arguments, {model.columns, model.flow.dimension}, "the model", table,
                       path == "-" ? "standard input" : path);
}

std::vector<std::string> column_names(const Model& model) {
  return column_names(model.columns, model.flow.dimension);
}

}  // namespace gaussianize
