#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/version.hpp"

#include "cli/help.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// Text as roff takes it: hyphens that stay hyphens, and no line that reads as a request.
std::string roff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool line_start = escaped.empty() || escaped.back() == '\n';
    if (line_start && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

void begin(std::ostream& out, const std::string& page, std::string_view summary) {
  std::string title = page;
  std::transform(title.begin(), title.end(), title.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  out << ".TH \"" << roff(title) << "\" 1 \"\" \"gaussianize " << version << "\" \"User Commands\"\n.SH NAME\n"
      << roff(page) << " \\- " << roff(summary) << '\n';
}

void end(std::ostream& out) {
  out << ".SH EXIT STATUS\n0 done, 2 usage, 3 bad data, 4 file or model, 5 numerical failure, 130 interrupted, "
         "1 anything else.\n";
}

std::string command_page(const Command& command) {
  std::ostringstream out;
  begin(out, concat("gaussianize-", command.name), command.summary);
  out << ".SH SYNOPSIS\n" << roff(usage_line(command)) << "\n.SH DESCRIPTION\n";
  std::string description = roff(command.description);
  for (std::size_t at = 0; (at = description.find("\n\n", at)) != std::string::npos; at += 4)
    description.replace(at, 2, "\n.PP\n");
  out << description << '\n';
  if (!command.positionals.empty()) out << ".SH ARGUMENTS\n";
  for (const Positional& argument : command.positionals)
    out << ".TP\n.I " << argument.name << '\n' << roff(argument.help) << '\n';
  out << ".SH OPTIONS\n";
  for (const OptionGroup& group : all_groups(command)) {
    out << ".SS " << roff(group.title) << '\n';
    for (const Option& option : group.options)
      out << ".TP\n.B " << roff(option_names(option)) << '\n' << roff(option_help(option)) << '\n';
  }
  out << ".SH EXAMPLES\n.nf\n";
  for (const std::string_view example : command.examples) out << roff(example) << '\n';
  out << ".fi\n";
  end(out);
  out << ".SH SEE ALSO\n.BR gaussianize (1)\n";
  return out.str();
}

std::string main_page(std::span<const Command> commands) {
  std::ostringstream out;
  begin(out, "gaussianize", "turn continuous data into standard normal data, and back");
  out << ".SH SYNOPSIS\ngaussianize COMMAND [arguments] [options]\n.SH DESCRIPTION\n"
         "Fits models that turn data into standard normal data, and uses them for densities, samples, anomaly scores "
         "and information measures.\nResults go to standard output, messages and progress to standard error.\n"
         ".SH COMMANDS\n";
  for (const Command& command : commands)
    out << ".TP\n.BR gaussianize\\-" << roff(command.name) << " (1)\n" << roff(command.summary) << '\n';
  end(out);
  return out.str();
}

void save(const std::filesystem::path& path, const std::string& text) {
  write_file_atomically(path, std::as_bytes(std::span(text)));
}

}  // namespace

void write_manual(const std::filesystem::path& folder, std::span<const Command> commands) {
  save(folder / "gaussianize.1", main_page(commands));
  for (const Command& command : commands)
    save(folder / concat("gaussianize-", command.name, ".1"), command_page(command));
}

}  // namespace gaussianize
