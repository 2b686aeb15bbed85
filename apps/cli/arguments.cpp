#include "cli/arguments.hpp"

#include <algorithm>
#include <climits>

#include <boost/program_options.hpp>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/json_text.hpp"

#include "cli/nearest.hpp"
#include "cli/numbers.hpp"

namespace gaussianize {
using namespace detail;
namespace {

namespace po = boost::program_options;

/// The table for Program_options: values stay texts, which check_value checks.
po::options_description described(const std::vector<OptionGroup>& groups) {
  po::options_description all;
  for (const OptionGroup& group : groups)
    for (const Option& option : group.options) {
      std::string name(option.name);
      if (option.letter != 0) name += std::string(",") + option.letter;
      if (option.kind == OptionKind::flag)
        all.add_options()(name.c_str(), po::bool_switch());
      else
        all.add_options()(name.c_str(), po::value<std::string>());
    }
  return all;
}

/// What is wrong with an option, after its name. Not the exception's own what(): it replaces placeholders in the
/// text that was typed, without end if a placeholder was typed.
std::string_view problem_of(const po::error_with_option_name& error) {
  if (dynamic_cast<const po::multiple_occurrences*>(&error) != nullptr) return " is given more than once";
  if (const auto* syntax = dynamic_cast<const po::invalid_syntax*>(&error); syntax != nullptr) {
    if (syntax->kind() == po::invalid_syntax::missing_parameter) return " needs a value";
    if (syntax->kind() == po::invalid_syntax::empty_adjacent_parameter) return " has nothing behind its =";
    if (syntax->kind() == po::invalid_syntax::extra_parameter) return " takes no value";
  }
  return " cannot be read as an option";
}

/// `source` is where the option stands, "fit" or "fit: settings.ini: line 3".
[[noreturn]] void refuse_option(const Command& command, const std::vector<OptionGroup>& groups, const std::string& name,
                                const std::string& source) {
  std::vector<std::string_view> names;
  for (const OptionGroup& group : groups)
    for (const Option& option : group.options) names.push_back(option.name);
  const auto guess = nearest(name.substr(std::min(name.find_first_not_of('-'), name.size())), names);
  throw UsageError(concat(
      source, ": there is no option ", in_quotes(name), "; ",
      guess ? concat("did you mean '--", *guess, "'?") : concat("'gaussianize ", command.name, " --help' lists them")));
}

/// `what` names the option or positional argument.
void check_value(const std::string& what, const Option& option, const std::string& text) {
  if (option.kind == OptionKind::count) parse_count(text, what);
  if (option.kind == OptionKind::number) parse_number(text, what);
  if (option.kind != OptionKind::choice) return;
  if (std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end()) return;
  std::string list;
  for (const std::string_view choice : option.choices) list.append(list.empty() ? "" : ", ").append(choice);
  const auto guess = nearest(text, option.choices);
  throw UsageError(concat(what, " is ", in_quotes(text), "; it must be one of ", list,
                          guess ? concat("; did you mean '", *guess, "'?") : ""));
}

const Option* find_option(const std::vector<OptionGroup>& groups, std::string_view name) {
  for (const OptionGroup& group : groups)
    for (const Option& option : group.options)
      if (option.name == name) return &option;
  return nullptr;
}

/// A switch in a configuration, as values hold it: "true", or nothing.
std::string switch_text(const std::string& source, const Option& option, const std::string& value) {
  for (const std::string_view yes : {"true", "yes", "on", "1"})
    if (value == yes) return "true";
  for (const std::string_view no : {"false", "no", "off", "0"})
    if (value == no) return "";
  throw UsageError(concat(source, ": ", option.name, " is ", in_quotes(value), "; a switch is true or false"));
}

void check_positionals(const Command& command, const std::vector<std::string>& given) {
  const auto& wanted = command.positionals;
  if (given.size() > wanted.size())
    throw UsageError(concat(command.name, ": ", in_quotes(given[wanted.size()]),
                            " is one argument too many; 'gaussianize ", command.name, " --help' shows what it takes"));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i >= given.size()) {
      if (!wanted[i].optional)
        throw UsageError(concat(command.name, ": ", wanted[i].name, " is missing: ", wanted[i].help));
      continue;
    }
    if (!wanted[i].choices.empty())
      check_value(concat(command.name, ": ", wanted[i].name),
                  {wanted[i].name, OptionKind::choice, "", "", "", 0, wanted[i].choices}, given[i]);
  }
}

std::string shell_quoted(const std::string& argument) {
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string text = "'";
  for (const char c : argument) c == '\'' ? text += "'\\''" : text += c;
  return text + "'";
}

}  // namespace

Arguments::Arguments(const Command& command, const std::vector<std::string>& typed, const ConfigReader& read_config)
    : command_(&command) {
  typed_ = concat("gaussianize ", command.name);
  for (const std::string& argument : typed) typed_.append(" ").append(shell_quoted(argument));
  const std::vector<OptionGroup> groups = all_groups(command);
  const po::options_description description = described(groups);
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  const std::string source(command.name);
  po::variables_map values;
  try {
    const auto parsed = po::command_line_parser(typed).options(description).style(style).run();
    positionals_ = po::collect_unrecognized(parsed.options, po::include_positional);
    po::store(parsed, values);
  } catch (const po::unknown_option& unknown) {
    refuse_option(command, groups, unknown.get_option_name(), source);
  } catch (const po::error_with_option_name& error) {
    throw UsageError(concat(source, ": ", in_quotes(error.get_option_name()), problem_of(error)));
  }
  for (const OptionGroup& group : groups)
    for (const Option& option : group.options) {
      const auto& value = values[std::string(option.name)];
      std::string text(option.standard);
      if (!value.empty() && !value.defaulted()) {
        text = option.kind == OptionKind::flag ? (value.as<bool>() ? "true" : "") : value.as<std::string>();
        check_value(concat(source, ": --", option.name), option, text);
        given_.emplace(option.name);
      }
      values_.emplace(option.name, text);
    }
  if (given("config")) take_settings(groups, text("config"), read_config(text("config")));
  check_positionals(command, positionals_);
  if (count("threads") > INT_MAX) refuse("--threads is ", text("threads"), "; 0 means one per core");
}

void Arguments::take_settings(const std::vector<OptionGroup>& groups, const std::string& path,
                              const std::string& text) {
  const std::set<std::string, std::less<>> typed = given_;
  for (const auto& [name, value, line] : parse_config(text, concat(command_->name, ": ", path))) {
    const std::string source = concat(command_->name, ": ", config_place(path, line));
    const Option* option = find_option(groups, name);
    if (option == nullptr && name.front() == '-')
      throw UsageError(concat(source, ": ", in_quotes(name), " begins with a dash; options stand without them here"));
    if (option == nullptr) refuse_option(*command_, groups, name, source);
    if (name == "config") throw UsageError(concat(source, ": a configuration cannot take in another"));
    const std::string meant = option->kind == OptionKind::flag ? switch_text(source, *option, value) : value;
    check_value(concat(source, ": --", option->name), *option, meant);
    if (typed.contains(name)) continue;
    given_.insert(name);
    values_[name] = meant;
  }
}

bool Arguments::given(std::string_view option) const {
  text(option);
  return given_.find(option) != given_.end();
}

const std::string& Arguments::text(std::string_view option) const {
  const auto found = values_.find(option);
  if (found == values_.end()) throw std::logic_error(concat(command_->name, " has no option --", option));
  return found->second;
}

std::uint64_t Arguments::count(std::string_view option) const {
  return text(option).empty() ? 0 : parse_count(text(option), concat(command_->name, ": --", option));
}

double Arguments::number(std::string_view option) const {
  return text(option).empty() ? 0 : parse_number(text(option), concat(command_->name, ": --", option));
}

}  // namespace gaussianize
