#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/random.hpp"

#include "cli/command.hpp"
#include "cli/config.hpp"

namespace gaussianize {

/// Returns the text of a configuration file, or throws FileError.
using ConfigReader = std::function<std::string(const std::string& path)>;

/// A command line, parsed and checked against the command's table: every value has its option's kind. A name that the
/// table does not have is an error of the program (std::logic_error).
class Arguments {
 public:
  /// Throws UsageError for an unknown option (with the nearest that exists), a value of the wrong kind, and too few or
  /// too many arguments. Options of a --config file count as if typed, unless they were typed too.
  Arguments(const Command& command, const std::vector<std::string>& typed,
            const ConfigReader& read_config = config_text);

  const Command& command() const { return *command_; }

  /// The command line as it was typed, quoted for a shell.
  const std::string& typed() const { return typed_; }

  /// The positional arguments: those that are not options.
  std::size_t positionals() const { return positionals_.size(); }
  const std::string& positional(std::size_t index) const { return positionals_.at(index); }

  /// Typed, or set by --config, rather than left at its default.
  bool given(std::string_view option) const;

  bool flag(std::string_view option) const { return text(option) == "true"; }
  const std::string& text(std::string_view option) const;  ///< empty if there is neither value nor default
  std::uint64_t count(std::string_view option) const;
  double number(std::string_view option) const;

  /// The value that the option's choice stands for, from a list of (choice, value).
  template <class Value>
  Value pick(std::string_view option, std::initializer_list<std::pair<std::string_view, Value>> meanings) const {
    for (const auto& [choice, value] : meanings)
      if (text(option) == choice) return value;
    throw std::logic_error(detail::concat("--", option, " has a choice without a meaning"));
  }

  // Options of every command.
  Seed seed() const { return {count("seed")}; }
  int threads() const { return static_cast<int>(count("threads")); }
  bool quiet() const { return flag("quiet"); }

  /// A line for people on standard error, unless --quiet.
  template <class... Parts>
  void say(const Parts&... parts) const {
    if (!quiet()) std::cerr << detail::concat(parts...) << '\n';
  }

  /// A UsageError that begins with the command's name.
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw UsageError(detail::concat(command_->name, ": ", parts...));
  }

 private:
  void take_settings(const std::vector<OptionGroup>& groups, const std::string& path, const std::string& text);

  const Command* command_;
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> given_;
  std::vector<std::string> positionals_;
  std::string typed_;
};

}  // namespace gaussianize
