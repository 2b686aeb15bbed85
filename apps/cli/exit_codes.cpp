#include "cli/exit_codes.hpp"

#include <stdexcept>

#include <boost/program_options/errors.hpp>

#include "gaussianize/core/error.hpp"

namespace gaussianize {
namespace {

template <class Error>
bool is(const std::exception& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

}  // namespace

int exit_code_for(const std::exception& error) {
  if (is<std::invalid_argument>(error) || is<boost::program_options::error>(error)) return exit_usage;
  if (is<DataError>(error)) return exit_data;
  if (is<FileError>(error)) return exit_file;
  if (is<NumericalError>(error)) return exit_numerical;
  if (is<Cancelled>(error)) return exit_interrupted;
  return exit_failure;
}

}  // namespace gaussianize
