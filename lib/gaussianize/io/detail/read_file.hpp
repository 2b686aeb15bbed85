#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace gaussianize::detail {

/// All bytes of a regular file. Throws FileError, with the system's reason, where there is none, where it is a folder,
/// a pipe or a device, and where it cannot be read to its end.
std::vector<std::byte> read_file(const std::filesystem::path& path);

/// The same for streams as well: "-" is standard input, and a pipe, socket or terminal is read until its writer closes
/// it. Folders and devices are refused.
std::vector<std::byte> read_file_or_stream(const std::filesystem::path& path);

}  // namespace gaussianize::detail
