#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace gaussianize::detail {

/// Puts a file of these bytes at `path`: written under a temporary name in the same folder, flushed to the disk,
/// renamed, the folder flushed. At any moment, through crashes and power cuts, `path` is either the whole new file or
/// what it was before. Throws FileError with the system's reason, and leaves no temporary file behind; only a killed
/// process does (`.gaussianize-PID-COUNT.tmp`).
///
/// A symbolic link stays one: the file it leads to is replaced. What exists at `path` but is not a regular file (a
/// folder, a device) is refused rather than replaced. Owner, permissions and hard links of a former file are not kept.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace gaussianize::detail
