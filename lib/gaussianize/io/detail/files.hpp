#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace gaussianize::detail {

/// All bytes of a regular file. Throws FileError, with the system's reason, where there is none, where it is a folder,
/// a pipe or a device, and where it cannot be read to its end.
std::vector<std::byte> read_file(const std::filesystem::path& path);

/// The same for streams as well: "-" is standard input, and a pipe, socket or terminal is read until its writer closes
/// it. Folders and devices are refused.
std::vector<std::byte> read_file_or_stream(const std::filesystem::path& path);

/// Writes all bytes to an open descriptor. Returns 0, or the system's error number.
int write_all(int descriptor, std::span<const std::byte> bytes);

/// Puts a file of these bytes at `path`: written under a temporary name in the same folder, flushed to the disk,
/// renamed, the folder flushed. At any moment, through crashes and power cuts, `path` is either the whole new file or
/// what it was before. Throws FileError with the system's reason, and leaves no temporary file behind; only a killed
/// process does (`.gaussianize-PID-COUNT.tmp`).
///
/// A symbolic link stays one: the file it leads to is replaced. What exists at `path` but is not a regular file (a
/// folder, a device) is refused rather than replaced. Owner, permissions and hard links of a former file are not kept.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Writes results: "-" is standard output, a pipe or device that exists is written to, and everything else is a file,
/// replaced as write_file_atomically does. Throws FileError with the system's reason.
void write_output(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace gaussianize::detail
