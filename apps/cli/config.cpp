#include "cli/config.hpp"

#include <map>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/detail/json_text.hpp"

#include "cli/command.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::string_view without_remark(std::string_view line) {
  for (std::size_t i = line.find('#'); i != std::string_view::npos; i = line.find('#', i + 1))
    if (i == 0 || blanks.find(line[i - 1]) != std::string_view::npos) return line.substr(0, i);
  return line;
}

}  // namespace

std::string config_place(const std::string& path, std::size_t line) {
  return concat(path, ": line ", line);
}

std::vector<Setting> parse_config(std::string_view text, const std::string& path) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.substr(0, byte_order_mark.size()) == byte_order_mark) text.remove_prefix(byte_order_mark.size());
  std::vector<Setting> settings;
  std::map<std::string_view, std::size_t> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(without_remark(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    const auto refuse = [&](const std::string& problem) {
      throw UsageError(concat(config_place(path, number), ": ", problem));
    };
    if (line.find('\0') != std::string_view::npos) refuse("there is a zero byte; a configuration is a text");
    if (line.front() == '[') refuse(concat(in_quotes(line), " begins a section; a configuration has none"));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos)
      refuse(concat(in_quotes(line), " is no option=value; a switch is option=true"));
    const std::string_view option = trimmed(line.substr(0, equals));
    if (option.empty()) refuse(concat(in_quotes(line), " names no option before its ="));
    const auto [earlier, fresh] = lines.emplace(option, number);
    if (!fresh) refuse(concat(in_quotes(option), " stands in line ", earlier->second, " already"));
    settings.push_back({std::string(option), std::string(trimmed(line.substr(equals + 1))), number});
  }
  return settings;
}

std::string config_text(const std::string& path) {
  const std::vector<std::byte> bytes = read_file_or_stream(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace gaussianize
