#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>

#pragma GCC visibility push(default)
namespace gaussianize {

/// Where in a flow a computation failed; unknown parts are empty.
struct Location {
  std::optional<std::size_t> layer;
  std::optional<std::size_t> dimension;
  std::optional<std::size_t> row;
};

/// A computation on valid arguments has no finite result. what() ends with the location.
class NumericalError : public std::runtime_error {
 public:
  explicit NumericalError(const std::string& message, Location location = {});
  const Location& location() const noexcept { return location_; }

 private:
  Location location_;
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

/// The caller's progress callback stopped an operation that has no partial result.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled by the caller") {}
};

}  // namespace gaussianize
#pragma GCC visibility pop
