#include "gaussianize/core/error.hpp"

namespace gaussianize {
namespace {

std::string with_place(const std::string& message, const Place& place) {
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

NumericalError::NumericalError(const std::string& message, Place place)
    : std::runtime_error(with_place(message, place)), place_(place) {}

}  // namespace gaussianize
