#pragma once

// What every fuzz target defines: LLVMFuzzerTestOneInput, which runs one parser on some bytes and breaks a promise
// loudly (an exception of an undocumented type, or broken() below), and seeds, the inputs to start from.

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace gaussianize::testing {

using Bytes = std::vector<std::byte>;

/// Defined by each target.
std::vector<Bytes> seeds();

/// A promise that does not hold; nobody catches it.
[[noreturn]] inline void broken(const std::string& promise) {
  throw std::logic_error("broken promise: " + promise);
}

/// The message of the refusal that `action` throws, which must be of the documented types and begin with `name`; empty
/// if it throws none.
template <class Action>
std::string refusal(const std::string& name, Action action) {
  std::string message;
  try {
    action();
    return message;
  } catch (const DataError& error) {
    message = error.what();
  } catch (const FileError& error) {
    message = error.what();
  }
  if (message.rfind(name + ": ", 0) != 0) broken("a message begins with the file's name: " + message);
  return message;
}

}  // namespace gaussianize::testing
