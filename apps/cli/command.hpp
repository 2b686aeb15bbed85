#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gaussianize {

/// A command line that cannot be carried out as typed. what() states what is wrong and how to fix it.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

enum class OptionKind {
  flag,    ///< takes no value
  count,   ///< a whole number, not negative: 10000 or 1e4
  number,  ///< any finite number
  text,
  file,     ///< that is read, or a folder
  written,  ///< a file that the program makes, whose folder must be there
  choice,   ///< one of `choices`
};

/// One option, as data: parsing, --help, manual pages, shell completion and configuration files all come from it.
struct Option {
  std::string_view name;  ///< without dashes
  OptionKind kind = OptionKind::flag;
  std::string help;             ///< one sentence
  std::string_view value = {};  ///< what --help calls the value: "N", "FILE"; empty for a flag
  std::string standard = {};    ///< the default, as it would be typed; empty: none, and the help says what happens
  char letter = 0;              ///< of the short form; 0: none
  std::vector<std::string_view> choices = {};
};

/// Options that belong together under one heading.
struct OptionGroup {
  std::string_view title;
  std::vector<Option> options;
};

/// An argument that is not an option: DATA, MODEL.
struct Positional {
  std::string_view name;
  std::string_view help;
  bool optional = false;
  std::vector<std::string_view> choices = {};
};

class Arguments;

/// One sub-command: `gaussianize NAME ARGUMENTS…`.
struct Command {
  std::string_view name;
  std::string_view summary;      ///< one line, no full stop
  std::string_view description;  ///< paragraphs, separated by empty lines
  std::vector<Positional> positionals;
  std::vector<OptionGroup> groups;         ///< its own; those that every command has are added by all_groups
  std::vector<std::string_view> examples;  ///< command lines that work as they stand, in this order, in an empty folder
  bool reads_tables = true;                ///< whether it has the options on reading tables

  /// Does the work and returns the exit code. Prints results to standard output and messages to standard error, and
  /// leaves every exception to main.
  int (*run)(const Arguments& arguments) = nullptr;
};

/// The command's groups, then those that every command has.
std::vector<OptionGroup> all_groups(const Command& command);

}  // namespace gaussianize
