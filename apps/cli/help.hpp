#pragma once

#include <cstddef>
#include <filesystem>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "cli/command.hpp"

namespace gaussianize {

/// Help, manual pages and completion scripts, all made from the tables of options.

/// "gaussianize fit DATA [options]".
std::string usage_line(const Command& command);

/// Names and placeholder of an option: "-o, --output FILE".
std::string option_names(const Option& option);

/// The help sentence with its choices and default: "how to stop (fixed, likelihood; default likelihood)".
std::string option_help(const Option& option);

/// `gaussianize NAME --help`, no line longer than 100 characters.
void print_help(std::ostream& out, const Command& command);

/// `gaussianize --help`.
void print_help(std::ostream& out, std::span<const Command> commands);

/// gaussianize.1 and one gaussianize-NAME.1 a command, into an existing folder. Throws FileError.
void write_manual(const std::filesystem::path& folder, std::span<const Command> commands);

/// A completion script for "bash", "zsh" or "fish". Throws UsageError for another shell.
void print_completion(std::ostream& out, std::string_view shell, std::span<const Command> commands);

}  // namespace gaussianize
