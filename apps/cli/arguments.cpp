#include "cli/arguments.hpp"

#include <algorithm>
#include <climits>
#include <sstream>

#include <boost/program_options.hpp>

#include "gaussianize/core/nearest.hpp"
#include "gaussianize/io/read_file.hpp"

namespace gaussianize {
namespace {

namespace po = boost::program_options;

/// The table as Program_options knows it: values stay texts, which check_value judges.
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

[[noreturn]] void refuse_option(const Command& command, const std::vector<OptionGroup>& groups,
                                const std::string& shown, const std::string& source) {
  std::vector<std::string_view> names;
  for (const OptionGroup& group : groups)
    for (const Option& option : group.options) names.push_back(option.name);
  const auto guess = nearest(shown.substr(std::min(shown.find_first_not_of('-'), shown.size())), names);
  throw UsageError(concat(
      command.name, ": ", source, "there is no option '", shown, "'; ",
      guess ? concat("did you mean '--", *guess, "'?") : concat("'gaussianize ", command.name, " --help' lists them")));
}

void check_value(const Command& command, const Option& option, const std::string& text) {
  const std::string what = concat(command.name, ": --", option.name);
  if (option.kind == OptionKind::count) parse_count(text, what);
  if (option.kind == OptionKind::number) parse_number(text, what);
  if (option.kind != OptionKind::choice) return;
  if (std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end()) return;
  std::string list;
  for (const std::string_view choice : option.choices) list.append(list.empty() ? "" : ", ").append(choice);
  const auto guess = nearest(text, option.choices);
  throw UsageError(concat(what, " is '", text, "'; it must be one of ", list,
                          guess ? concat("; did you mean '", *guess, "'?") : ""));
}

void check_words(const Command& command, const std::vector<std::string>& words) {
  const auto& wanted = command.positionals;
  if (words.size() > wanted.size())
    throw UsageError(concat(command.name, ": '", words[wanted.size()], "' is one word too many; 'gaussianize ",
                            command.name, " --help' shows what it takes"));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i >= words.size()) {
      if (!wanted[i].optional)
        throw UsageError(concat(command.name, ": ", wanted[i].name, " is missing: ", wanted[i].help));
      continue;
    }
    if (!wanted[i].choices.empty())
      check_value(command, {wanted[i].name, OptionKind::choice, "", "", "", 0, wanted[i].choices}, words[i]);
  }
}

std::string quoted(const std::string& word) {
  constexpr auto plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) c == '\'' ? text += "'\\''" : text += c;
  return text + "'";
}

}  // namespace

std::string config_text(const std::string& path) {
  const std::vector<std::byte> bytes = read_file_or_stream(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Arguments::Arguments(const Command& command, const std::vector<std::string>& words, const ConfigReader& read_config)
    : command_(&command) {
  typed_ = concat("gaussianize ", command.name);
  for (const std::string& word : words) typed_.append(" ").append(quoted(word));
  const std::vector<OptionGroup> groups = all_groups(command);
  const po::options_description description = described(groups);
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  std::string source;
  try {
    const auto parsed = po::command_line_parser(words).options(description).style(style).run();
    words_ = po::collect_unrecognized(parsed.options, po::include_positional);
    po::store(parsed, values);
    if (values.count("config") > 0) {
      const std::string path = values["config"].as<std::string>();
      source = path + ": ";
      std::istringstream file(read_config(path));
      // Program_options lets the first value stand, so what was typed wins.
      po::store(po::parse_config_file(file, description), values);
    }
  } catch (const po::unknown_option& unknown) {
    refuse_option(command, groups, unknown.get_option_name(), source);
  } catch (const po::error& error) {
    throw UsageError(concat(command.name, ": ", source, error.what()));
  }
  for (const OptionGroup& group : groups)
    for (const Option& option : group.options) {
      const auto& value = values[std::string(option.name)];
      std::string text(option.standard);
      if (!value.empty() && !value.defaulted()) {
        text = option.kind == OptionKind::flag ? (value.as<bool>() ? "true" : "") : value.as<std::string>();
        check_value(command, option, text);
        given_.emplace(option.name);
      }
      values_.emplace(option.name, text);
    }
  check_words(command, words_);
  if (count("threads") > INT_MAX) refuse("--threads is ", text("threads"), "; 0 means one per core");
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
