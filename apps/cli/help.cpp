#include "cli/help.hpp"

#include <algorithm>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::size_t width = 100;

/// Letters on the screen: UTF-8's continuation bytes are none.
std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Writes words in lines of at most `width` letters, all but the first indented by `indent`; `column` letters of the
/// first are written already.
void wrap(std::ostream& out, std::string_view text, std::size_t indent, std::size_t column) {
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!first && column + 1 + letters(word) > width) {
      out << '\n' << std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out << ' ';
      ++column;
    }
    out << word;
    column += letters(word);
    first = false;
  }
  out << '\n';
}

void entry(std::ostream& out, std::string_view names, std::string_view help, std::size_t indent) {
  out << "  " << names;
  std::size_t column = 2 + letters(names);
  if (column + 2 > indent) {
    out << '\n';
    column = 0;
  }
  out << std::string(indent - column, ' ');
  wrap(out, help, indent, indent);
}

}  // namespace

std::string usage_line(const Command& command) {
  std::string line = concat("gaussianize ", command.name);
  for (const Positional& argument : command.positionals)
    line += argument.optional ? concat(" [", argument.name, "]") : concat(" ", argument.name);
  return line + " [options]";
}

std::string option_names(const Option& option) {
  std::string names = option.letter != 0 ? concat("-", option.letter, ", ") : "";
  names += concat("--", option.name);
  return option.value.empty() ? names : concat(names, " ", option.value);
}

std::string option_help(const Option& option) {
  std::string extra;
  for (const std::string_view choice : option.choices) extra.append(extra.empty() ? "" : ", ").append(choice);
  if (!option.standard.empty()) extra += concat(extra.empty() ? "" : "; ", "default ", option.standard);
  return extra.empty() ? std::string(option.help) : concat(option.help, " (", extra, ")");
}

void print_help(std::ostream& out, const Command& command) {
  constexpr std::size_t indent = 28;
  out << "usage: " << usage_line(command) << "\n\n";
  for (std::string_view text = command.description; !text.empty();) {
    const std::size_t end = std::min(text.find("\n\n"), text.size());
    wrap(out, text.substr(0, end), 0, 0);
    out << '\n';
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  for (const Positional& argument : command.positionals) entry(out, argument.name, argument.help, indent);
  if (!command.positionals.empty()) out << '\n';
  for (const OptionGroup& group : all_groups(command)) {
    out << group.title << ":\n";
    for (const Option& option : group.options) entry(out, option_names(option), option_help(option), indent);
    out << '\n';
  }
  out << (command.examples.size() == 1 ? "example:\n" : "examples:\n");
  for (const std::string_view example : command.examples) out << "  " << example << '\n';
}

void print_help(std::ostream& out, std::span<const Command> commands) {
  out << "gaussianize: turns continuous data into standard normal data, and back\n\n"
         "usage: gaussianize COMMAND [arguments] [options]\n\n"
         "commands:\n";
  for (const Command& command : commands) entry(out, command.name, command.summary, 14);
  out << "\n"
         "  gaussianize COMMAND --help   what a command does, its options and examples\n"
         "  gaussianize --version        the version of this program\n";
}

}  // namespace gaussianize
