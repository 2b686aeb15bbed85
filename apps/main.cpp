#include <algorithm>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/version.hpp"

#include "cli/arguments.hpp"
#include "cli/exit_codes.hpp"
#include "cli/help.hpp"
#include "cli/hints.hpp"
#include "cli/interrupt.hpp"
#include "cli/nearest.hpp"
#include "commands.hpp"

namespace gaussianize {
using namespace detail;

const std::vector<Command>& commands() {
  static const std::vector<Command> table{compare_command(),   diagnose_command(), measure_command(),
                                          fit_command(),       score_command(),    sample_command(),
                                          transform_command(), inspect_command(),  generate_command(),
                                          prepare_command(),   reproduce_command()};
  return table;
}

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view typed) {
  std::vector<std::string_view> names;
  for (const Command& command : commands()) names.push_back(command.name);
  names.insert(names.end(), {"--help", "--version"});
  const auto guess = nearest(typed, names);
  throw UsageError(guess ? concat("there is no command '", typed, "'; did you mean '", *guess, "'?")
                         : concat("there is no command '", typed, "'; 'gaussianize --help' lists them"));
}

bool asks_for_help(const std::vector<std::string>& typed) {
  const auto end = std::find(typed.begin(), typed.end(), "--");
  return std::find_if(typed.begin(), end, [](const std::string& t) { return t == "--help" || t == "-h"; }) != end;
}

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return fs::path(a).lexically_normal() == fs::path(b).lexically_normal() || fs::equivalent(a, b, ignored);
}

/// A file that is written must not be one that is read, nor one that another option writes.
void check_apart(const Arguments& arguments) {
  std::vector<std::pair<std::string, std::string>> read, written;  // name, path
  for (std::size_t i = 0; i < arguments.positionals(); ++i)
    if (const Positional& one = arguments.command().positionals[i]; one.choices.empty())
      read.emplace_back(one.name, arguments.positional(i));
  for (const OptionGroup& group : all_groups(arguments.command()))
    for (const Option& option : group.options)
      if (arguments.given(option.name) && !arguments.text(option.name).empty()) {
        if (option.kind == OptionKind::file) read.emplace_back(concat("--", option.name), arguments.text(option.name));
        if (option.kind == OptionKind::written)
          written.emplace_back(concat("--", option.name), arguments.text(option.name));
      }
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto& [name, path] = written[i];
    for (const auto& [other, input] : read)
      if (path != "-" && same_file(path, input))
        arguments.refuse(name, " ", path, " would replace ", other, ", which is read; give another name");
    for (std::size_t j = 0; j < i; ++j)
      if (path == written[j].second || (path != "-" && same_file(path, written[j].second)))
        arguments.refuse(written[j].first, " and ", name, " both write ", path == "-" ? "to standard output" : path,
                         "; give one of them another place");
  }
}

/// Reports a missing folder now rather than after hours of work.
void check_outputs(const Arguments& arguments) {
  for (const OptionGroup& group : all_groups(arguments.command()))
    for (const Option& option : group.options) {
      const std::string& path = arguments.text(option.name);
      if (option.kind != OptionKind::written || !arguments.given(option.name) || path.empty() || path == "-") continue;
      const fs::path folder = fs::path(path).parent_path();
      std::error_code ignored;
      if (!folder.empty() && !fs::is_directory(folder, ignored))
        throw FileError(
            concat("--", option.name, " ", path, ": there is no folder ", folder.string(), "; make it first"));
      if (!fs::is_symlink(path, ignored) && access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
        throw FileError(concat("--", option.name, " ", path, ": its folder may not be written to; give another place"));
    }
}

int run_command(std::string_view name, const std::vector<std::string>& typed) {
  const auto found =
      std::find_if(commands().begin(), commands().end(), [&](const Command& c) { return c.name == name; });
  if (found == commands().end()) refuse(name);
  if (asks_for_help(typed)) {
    print_help(std::cout, *found);
    return exit_done;
  }
  const Arguments arguments(*found, typed);
  check_apart(arguments);
  check_outputs(arguments);
  return found->run(arguments);
}

int dispatch(std::vector<std::string> typed) {
  if (typed.empty()) {
    print_help(std::cerr, commands());
    return exit_usage;
  }
  const std::string name = typed.front();
  typed.erase(typed.begin());
  if (name == "--version") {
    std::cout << "gaussianize " << version << '\n';
  } else if (name == "--help" || name == "-h" || (name == "help" && typed.empty())) {
    print_help(std::cout, commands());
  } else if (name == "--generate-man" && typed.size() == 1) {
    write_manual(typed.front(), commands());
  } else if (name == "--generate-completion" && typed.size() == 1) {
    print_completion(std::cout, typed.front(), commands());
  } else {
    return name == "help" ? run_command(typed.front(), {"--help"}) : run_command(name, typed);
  }
  return exit_done;
}

/// Without this, the next file that is opened would take the number of a closed standard stream and receive what is
/// written to the stream. Reading and writing the replacement fails.
void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
      throw FileError("standard streams are closed and cannot be held");
}

/// As dispatch, but throws if standard output could not be written.
int run(std::vector<std::string> typed) {
  hold_standard_streams();
  catch_interrupts();
  const int code = dispatch(std::move(typed));
  if (!std::cout.flush()) throw FileError("cannot write to standard output");
  return code;
}

}  // namespace
}  // namespace gaussianize

int main(int argc, char** argv) {
  try {
    return gaussianize::run({argv + std::min(argc, 1), argv + argc});
  } catch (const gaussianize::Cancelled&) {
    std::cerr << "gaussianize: interrupted\n";
    return gaussianize::exit_interrupted;
  } catch (const std::bad_alloc&) {
    std::cerr << "gaussianize: there is not enough memory for this; give fewer rows or columns\n";
    return gaussianize::exit_failure;
  } catch (const std::exception& error) {
    std::cerr << "gaussianize: " << gaussianize::message_for(error) << '\n';
    return gaussianize::exit_code_for(error);
  } catch (...) {
    std::cerr << "gaussianize: unknown failure\n";
    return gaussianize::exit_failure;
  }
}
