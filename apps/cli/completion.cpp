#include <string>

#include "gaussianize/core/detail/require.hpp"

#include "cli/help.hpp"

namespace gaussianize {
using namespace detail;
namespace {

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

std::string names(std::span<const Command> commands) {
  std::string text;
  for (const Command& command : commands) text.append(text.empty() ? "" : " ").append(command.name);
  return text;
}

/// Inside single quotes of any of the shells.
std::string quoted(std::string_view text) {
  std::string escaped;
  for (const char c : text) c == '\'' ? escaped += "'\\''" : escaped += c;
  return escaped;
}

void print_bash(std::ostream& out, std::span<const Command> commands) {
  out << "_gaussianize() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
         "  if ((COMP_CWORD == 1)); then\n"
         "    COMPREPLY=($(compgen -W '"
      << names(commands)
      << " --help --version' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]}:$before in\n";
  for (const Command& command : commands)
    if (!command.positionals.empty() && !command.positionals.front().choices.empty())
      out << "    " << command.name << ":" << command.name << ") words='" << joined(command.positionals.front().choices)
          << "' ;;\n";
  for (const Command& command : commands)
    for (const OptionGroup& group : all_groups(command))
      for (const Option& option : group.options)
        if (!option.choices.empty())
          out << "    " << command.name << ":--" << option.name << ") words='" << joined(option.choices) << "' ;;\n";
  out << "  esac\n"
         "  if [[ -z $words ]]; then\n"
         "    case ${COMP_WORDS[1]} in\n";
  for (const Command& command : commands) {
    std::string words;
    for (const OptionGroup& group : all_groups(command))
      for (const Option& option : group.options) words += concat("--", option.name, " ");
    words.pop_back();
    out << "      " << command.name << ") words='" << words << "' ;;\n";
  }
  out << "    esac\n"
         "    [[ $word == -* ]] || words=\n"
         "  fi\n"
         "  if [[ -n $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _gaussianize gaussianize\n";
}

/// _arguments reads ':' and brackets as its own.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : quoted(text)) {
    if (c == ':' || c == '[' || c == ']') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void print_zsh(std::ostream& out, std::span<const Command> commands) {
  out << "#compdef gaussianize\n"
         "_gaussianize() {\n"
         "  if ((CURRENT == 2)); then\n"
         "    local -a commands=(\n";
  for (const Command& command : commands) out << "      '" << command.name << ':' << zsh_text(command.summary) << "'\n";
  out << "    )\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  ((CURRENT--))\n"
         "  case $command in\n";
  for (const Command& command : commands) {
    out << "    " << command.name << ")\n      _arguments \\\n";
    for (const OptionGroup& group : all_groups(command))
      for (const Option& option : group.options) {
        out << "        '--" << option.name << '[' << zsh_text(option.help) << ']';
        if (!option.choices.empty())
          out << ':' << option.value << ":(" << joined(option.choices) << ')';
        else if (option.kind == OptionKind::file || option.kind == OptionKind::written)
          out << ":file:_files";
        else if (!option.value.empty())
          out << ':' << zsh_text(option.value) << ": ";
        out << "' \\\n";
      }
    for (const Positional& word : command.positionals)
      out << "        '" << (word.optional ? "::" : ":") << zsh_text(word.name) << ':'
          << (word.choices.empty() ? "_files" : concat("(", joined(word.choices), ")")) << "' \\\n";
    out << "        ;;\n";
  }
  out << "  esac\n"
         "}\n"
         "_gaussianize \"$@\"\n";
}

void print_fish(std::ostream& out, std::span<const Command> commands) {
  for (const Command& command : commands)
    out << "complete -c gaussianize -n __fish_use_subcommand -f -a " << command.name << " -d '"
        << quoted(command.summary) << "'\n";
  for (const Command& command : commands) {
    const std::string when = concat("complete -c gaussianize -n '__fish_seen_subcommand_from ", command.name, "' ");
    for (const OptionGroup& group : all_groups(command))
      for (const Option& option : group.options) {
        out << when << "-l " << option.name;
        if (option.letter != 0) out << " -s " << option.letter;
        if (!option.choices.empty())
          out << " -x -a '" << joined(option.choices) << '\'';
        else if (option.kind == OptionKind::file || option.kind == OptionKind::written)
          out << " -r";
        else if (!option.value.empty())
          out << " -x";
        out << " -d '" << quoted(option.help) << "'\n";
      }
    for (const Positional& word : command.positionals)
      if (!word.choices.empty()) out << when << "-f -a '" << joined(word.choices) << "'\n";
  }
}

}  // namespace

void print_completion(std::ostream& out, std::string_view shell, std::span<const Command> commands) {
  if (shell == "bash")
    print_bash(out, commands);
  else if (shell == "zsh")
    print_zsh(out, commands);
  else if (shell == "fish")
    print_fish(out, commands);
  else
    throw UsageError(concat("--generate-completion is '", shell, "'; it must be one of bash, zsh, fish"));
}

}  // namespace gaussianize
