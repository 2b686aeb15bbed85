#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace gaussianize::detail {

/// Writes all bytes to an open descriptor. Returns 0, or the system's error number.
int write_all(int descriptor, std::span<const std::byte> bytes);

/// Writes to where people want results: "-" is standard output, a pipe or device that exists is written to, and
/// everything else is a file, replaced as write_file_atomically does. Throws FileError with the system's reason.
void write_output(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace gaussianize::detail
