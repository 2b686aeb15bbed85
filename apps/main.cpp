#include <algorithm>
#include <array>
#include <exception>
#include <iomanip>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "gaussianize/core/error.hpp"
#include "gaussianize/version.hpp"

#include "command.hpp"
#include "commands.hpp"
#include "exit_codes.hpp"
#include "nearest.hpp"

namespace gaussianize {
namespace {

constexpr std::array commands{
    Command{"compare", "fit a Gaussian and the library's models, and compare them on held-out rows", run_compare},
};

void print_help(std::ostream& out) {
  out << "gaussianize: turns continuous data into standard normal data, and back\n\n"
         "usage: gaussianize COMMAND [DATA] [options]\n\n"
         "commands:\n";
  for (const Command& command : commands)
    out << "  " << std::left << std::setw(12) << command.name << command.summary << '\n';
  out << "\n"
         "  gaussianize COMMAND --help   the options of a command\n"
         "  gaussianize --version        the version of this program\n";
}

[[noreturn]] void refuse(std::string_view word) {
  std::array<std::string_view, commands.size()> names;
  std::transform(commands.begin(), commands.end(), names.begin(), [](const Command& c) { return c.name; });
  const auto guess = nearest(word, names);
  throw UsageError(guess ? concat("there is no command '", word, "'; did you mean '", *guess, "'?")
                         : concat("there is no command '", word, "'; 'gaussianize --help' lists them"));
}

int run_command(std::string_view name, const std::vector<std::string>& arguments) {
  const auto found = std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.name == name; });
  if (found == commands.end()) refuse(name);
  return found->run(arguments);
}

int dispatch(std::vector<std::string> words) {
  if (words.empty()) {
    print_help(std::cerr);
    return exit_usage;
  }
  const std::string name = words.front();
  words.erase(words.begin());
  if (name == "--version") {
    std::cout << "gaussianize " << version << '\n';
    return exit_done;
  }
  if (name == "--help" || name == "-h" || (name == "help" && words.empty())) {
    print_help(std::cout);
    return exit_done;
  }
  if (name == "help") return run_command(words.front(), {"--help"});
  return run_command(name, words);
}

/// As dispatch, but a result that did not reach its reader is no success.
int run(std::vector<std::string> words) {
  const int code = dispatch(std::move(words));
  if (!std::cout.flush()) throw FileError("cannot write to standard output");
  return code;
}

}  // namespace
}  // namespace gaussianize

int main(int argc, char** argv) {
  try {
    return gaussianize::run({argv + std::min(argc, 1), argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "gaussianize: " << error.what() << '\n';
    return gaussianize::exit_code_for(error);
  } catch (...) {
    std::cerr << "gaussianize: unknown failure\n";
    return gaussianize::exit_failure;
  }
}
