#include "cli/hints.hpp"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "gaussianize/core/error.hpp"
#include "gaussianize/io/column_selection.hpp"

#include "cli/nearest.hpp"

namespace gaussianize {
namespace {

/// How the library puts a fix, and how the program does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> fixes{{
    {"drop such rows", "drop such rows (--missing drop)"},
    {"drop such lines", "drop such lines (--missing drop)"},
    {"leave the column out", "leave the column out (--columns)"},
    {"or leave it out", "or leave it out (--columns)"},
    {"choose other columns", "choose other columns (--columns)"},
    {"say which it is", "say which it is (--header yes or no)"},
    {"set the delimiter to", "set --delimiter to"},
    {"which load_model reads", "which the commands score, sample and transform read"},
    {"which load_checkpoint reads", "which the command fit --resume reads"},
}};

}  // namespace

std::string message_for(const std::exception& error) {
  std::string message = error.what();
  if (const auto* unknown = dynamic_cast<const UnknownColumn*>(&error)) {
    const std::vector<std::string_view> names(unknown->columns().begin(), unknown->columns().end());
    if (const auto guess = nearest(unknown->name(), names)) message.append("; did you mean '").append(*guess) += "'?";
  } else if (dynamic_cast<const DataError*>(&error) != nullptr || dynamic_cast<const FileError*>(&error) != nullptr) {
    // A message ends with the fix; what stands before may be the file's own text.
    for (const auto& [library, program] : fixes)
      if (const auto at = message.rfind(library); at != std::string::npos) message.replace(at, library.size(), program);
  }
  return message;
}

}  // namespace gaussianize
