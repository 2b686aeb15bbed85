#include "gaussianize/core/error.hpp"

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;
namespace {

std::string with_place(const std::string& message, const Location& place) {
  std::string text = message;
  const char* separator = " (";
  const auto add = [&](const char* name, const std::optional<std::size_t>& index) {
    if (!index) return;
    text += separator + concat(name, ' ', *index);
    separator = ", ";
  };
  add("layer", place.layer);
  add("dimension", place.dimension);
  add("row", place.row);
  if (text.size() != message.size()) text += ')';
  return text;
}

}  // namespace

NumericalError::NumericalError(const std::string& message, Location place)
    : std::runtime_error(with_place(message, place)), location_(place) {}

}  // namespace gaussianize
