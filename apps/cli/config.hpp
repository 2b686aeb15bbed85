#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gaussianize {

/// One `option=value` of a configuration.
struct Setting {
  std::string option;
  std::string value;
  std::size_t line = 0;  ///< from 1
};

/// The settings of a configuration, one a line, blanks around name and value left out. A remark is a line that begins
/// with '#', or a '#' after a blank and the rest of its line. Throws UsageError, which names the place as `path`, for
/// any other line, an option that stands twice, and bytes that are no text.
std::vector<Setting> parse_config(std::string_view text, const std::string& path);

/// How a message names a line of a configuration: "settings.ini: line 3".
std::string config_place(const std::string& path, std::size_t line);

/// The text of a file or pipe; "-" is standard input. Throws FileError.
std::string config_text(const std::string& path);

}  // namespace gaussianize
