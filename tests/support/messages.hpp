#pragma once

#include <string>

#include "gaussianize/core/error.hpp"

/// What a test says about messages of errors.
namespace gaussianize::testing {

/// The message of the Error that `action` throws; "nothing was thrown" without one. Others pass through.
template <class Error, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

template <class Action>
std::string data_error(Action action) {
  return message_of<DataError>(action);
}

template <class Action>
std::string file_error(Action action) {
  return message_of<FileError>(action);
}

/// How often the part stands in the text.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace gaussianize::testing
