#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "gaussianize/io/table.hpp"

namespace gaussianize::detail {

/// Whether the bytes begin as an IDX file does: two zeros, a type code, a number of dimensions.
bool is_idx(std::span<const std::byte> bytes);

/// Reads an IDX file, the format of MNIST, of any of its six types: big-endian, in C order, so that N images of r×c
/// pixels are N rows of r·c columns. Throws as array_table does, and FileError, beginning with `name`, for every other
/// file.
Table parse_idx(std::span<const std::byte> bytes, const std::string& name, const TableOptions& options = {},
                TableReport* report = nullptr);

}  // namespace gaussianize::detail
