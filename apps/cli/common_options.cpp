#include "cli/command.hpp"

namespace gaussianize {
namespace {

const OptionGroup& table_options() {
  static const OptionGroup group{
      "Reading tables",
      {{"columns", OptionKind::text, "use only these columns: names, numbers from 0 or ranges, as in a,b,3-7", "LIST"},
       {"missing",
        OptionKind::choice,
        "what to do with rows that have an empty, NA or non-finite cell",
        "WHAT",
        "error",
        0,
        {"error", "drop"}},
       {"header",
        OptionKind::choice,
        "whether text tables begin with a line of column names",
        "WHAT",
        "auto",
        0,
        {"auto", "yes", "no"}},
       {"max-rows", OptionKind::count, "read at most N rows of each table; 0: all", "N", "0"},
       {"delimiter", OptionKind::text,
        "what separates cells: one character, tab or space; by default found from the "
        "file's name or first line",
        "C"}}};
  return group;
}

const OptionGroup& every_command() {
  static const OptionGroup group{
      "Every command",
      {{"seed", OptionKind::count, "random seed", "N", "0"},
       {"threads", OptionKind::count, "number of threads; 0: one per core; results do not depend on it", "N", "0"},
       {"json", OptionKind::written, "write the result as JSON; with '-' to standard output, instead of the text",
        "FILE|-"},
       {"config", OptionKind::file,
        "read options from a file with lines 'option=value'; the command line takes precedence", "FILE"},
       {"quiet", OptionKind::flag, "no messages and no progress on standard error"},
       {"help", OptionKind::flag, "show this text", "", "", 'h'}}};
  return group;
}

}  // namespace

std::vector<OptionGroup> all_groups(const Command& command) {
  std::vector<OptionGroup> groups = command.groups;
  if (command.reads_tables) groups.push_back(table_options());
  groups.push_back(every_command());
  return groups;
}

}  // namespace gaussianize
