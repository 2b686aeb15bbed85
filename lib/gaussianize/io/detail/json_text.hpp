#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gaussianize::detail {

/// A string as JSON writes it, quotes included, so that parsing gives back the same bytes. Throws
/// std::invalid_argument, beginning with `what`, if it is not UTF-8.
std::string json_quote(const std::string& text, std::string_view what);

/// ["a","b"] and {"a":"b"}, without spaces.
std::string json_list(const std::vector<std::string>& items, std::string_view what);
std::string json_map(const std::map<std::string, std::string>& items, std::string_view what);

/// The reverse. Empty if the text is not JSON, holds anything but strings, or names a key twice.
std::optional<std::vector<std::string>> parse_json_list(std::string_view text);
std::optional<std::map<std::string, std::string>> parse_json_map(std::string_view text);

/// A name from a file for use in a message: quoted, without control characters, cut after 80 bytes.
std::string in_quotes(std::string_view name);

}  // namespace gaussianize::detail
