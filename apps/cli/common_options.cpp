#include "cli/command.hpp"

namespace gaussianize {
namespace {

const OptionGroup& table_options() {
  static const OptionGroup group{
      "Reading tables",
      {{"columns", OptionKind::text, "use these columns alone: names, numbers from 0, ranges, as in a,b,3-7", "LIST"},
       {"missing",
        OptionKind::choice,
        "what to do with a row that has an empty, NA or non-finite cell",
        "WHAT",
        "error",
        0,
        {"error", "drop"}},
       {"header",
        OptionKind::choice,
        "whether text tables begin with a line of names",
        "WHAT",
        "auto",
        0,
        {"auto", "yes", "no"}},
       {"max-rows", OptionKind::count, "read at most N rows of each table; 0: all", "N", "0"},
       {"delimiter", OptionKind::text,
        "what stands between cells: one character, tab or space; by default what the "
        "file's name or first line says",
        "C"}}};
  return group;
}

const OptionGroup& every_command() {
  static const OptionGroup group{
      "Every command",
      {{"seed", OptionKind::count, "of everything random", "N", "0"},
       {"threads", OptionKind::count, "how many threads; 0: one per core; no result depends on it", "N", "0"},
       {"json", OptionKind::written, "write the result as JSON; with '-' it is all that standard output gets",
        "FILE|-"},
       {"config", OptionKind::file, "take options from a file of lines 'option=value'; typed ones win", "FILE"},
       {"quiet", OptionKind::flag, "no words and no progress on standard error"},
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
