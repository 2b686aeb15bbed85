#include "gaussianize/core/error.hpp"

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;
namespace {

std::string with_location(const std::string& message, const Location& location) {
  std::string text = message;
  const char* separator = " (";
  const auto add = [&](const char* name, const std::optional<std::size_t>& index) {
    if (!index) return;
    text += separator + concat(name, ' ', *index);
    separator = ", ";
  };
  add("layer", location.layer);
  add("dimension", location.dimension);
  add("row", location.row);
  if (text.size() != message.size()) text += ')';
  return text;
}

}  // namespace

NumericalError::NumericalError(const std::string& message, Location location)
    : std::runtime_error(with_location(message, location)), location_(location) {}

}  // namespace gaussianize
