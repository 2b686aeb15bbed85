#pragma once

#include <cstddef>
#include <locale>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace gaussianize {

/// Joins its arguments as text: concat("expected ", 3, " columns"). Numbers are written as in C, whatever the locale of
/// the program.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

/// Throws std::invalid_argument, the type of every caller's mistake, unless `condition` holds. The message states
/// what was given and how to mend it; its parts are joined only when it is needed.
template <class... Parts>
void require(bool condition, const Parts&... message) {
  if (!condition) throw std::invalid_argument(concat(message...));
}

/// Where in a flow a computation failed. Whatever is unknown is left out.
struct Place {
  std::optional<std::size_t> layer;
  std::optional<std::size_t> dimension;
  std::optional<std::size_t> row;
};

/// A computation on valid arguments that has no finite answer. what() ends with the place.
class NumericalError : public std::runtime_error {
 public:
  explicit NumericalError(const std::string& message, Place place = {});
  const Place& place() const noexcept { return place_; }

 private:
  Place place_;
};

/// Data that no model can be fitted to: a constant column, a value that is not finite, too few rows.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that cannot be read or written, or is not what it claims to be.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's progress callback asked to stop an operation that has no partial result.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled by the caller") {}
};

}  // namespace gaussianize
