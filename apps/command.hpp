#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gaussianize {

/// A command line that cannot be carried out as typed. what() says what is wrong and how to mend it.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// One sub-command: `gaussianize NAME ARGUMENTS…`.
struct Command {
  std::string_view name;
  std::string_view summary;  ///< one line, for `gaussianize --help`

  /// Does the work and returns the exit code. Takes what follows the name, prints results to standard output
  /// and words to standard error, answers --help itself, and leaves every exception to main.
  int (*run)(const std::vector<std::string>& arguments);
};

}  // namespace gaussianize
