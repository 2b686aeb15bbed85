#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace gaussianize::detail {

/// Whether the bytes begin as a gzip file does.
bool is_gzip(std::span<const std::byte> bytes);

/// The default maximum size of the content of a gzip file: 100 times the file, or 256 MiB if that is more. Real tables
/// shrink by less; a file made to fill the memory by up to 1032, which is deflate's limit.
std::size_t gunzip_limit(std::size_t compressed_size);

/// The content of a gzip file, of all its members one after the other. Zeros after the last are padding. Throws
/// FileError, beginning with `name`, for a file that is damaged, cut short or followed by something else, or whose
/// content exceeds `limit` bytes (0: gunzip_limit); never allocates more than four times the content, or the limit.
std::vector<std::byte> gunzip(std::span<const std::byte> bytes, const std::string& name, std::size_t limit = 0);

/// A gzip file of these bytes, without name and time, so that equal bytes give equal files.
std::vector<std::byte> gzip(std::span<const std::byte> bytes);

}  // namespace gaussianize::detail
