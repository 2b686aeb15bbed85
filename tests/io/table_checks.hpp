#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/csv.hpp"

#include "support/bytes.hpp"

namespace gaussianize::testing {
using namespace detail;

/// The message of what `action` throws, with its type in front: "data: …", "file: …", "usage: …".
template <class Action>
std::string complaint(Action action) {
  try {
    action();
  } catch (const DataError& error) {
    return std::string("data: ") + error.what();
  } catch (const FileError& error) {
    return std::string("file: ") + error.what();
  } catch (const std::invalid_argument& error) {
    return std::string("usage: ") + error.what();
  }
  return "nothing was thrown";
}

/// The same for reading a text as "t.csv".
inline std::string csv_complaint(std::string_view text, const TableOptions& options = {.delimiter = ','}) {
  return complaint([&] { parse_csv(text, "t.csv", options); });
}

}  // namespace gaussianize::testing
