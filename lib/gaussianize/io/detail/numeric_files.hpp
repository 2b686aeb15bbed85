#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gaussianize/io/table.hpp"

namespace gaussianize::detail {

/// Whether the bytes begin as an NPY file does.
bool is_npy(std::span<const std::byte> bytes);

/// Reads an NPY file of format version 1, 2 or 3: booleans, integers and floats of 1 to 8 bytes (half precision
/// excepted), both byte orders, C and Fortran order, one dimension or more (see array_table). Throws as array_table
/// does, and FileError, beginning with `name`, for every other file.
Table parse_npy(std::span<const std::byte> bytes, const std::string& name, const TableOptions& options = {},
                TableReport* report = nullptr);

/// The bytes of an NPY file of a matrix: version 1.0, little-endian float64, Fortran order, any numbers.
std::vector<std::byte> encode_npy(const arma::mat& values);

/// Whether the bytes begin as an IDX file does: two zeros, a type code, a number of dimensions.
bool is_idx(std::span<const std::byte> bytes);

/// Reads an IDX file, the format of MNIST, of any of its six types: big-endian, in C order, so that N images of r×c
/// pixels are N rows of r·c columns. Throws as array_table does, and FileError, beginning with `name`, for every other
/// file.
Table parse_idx(std::span<const std::byte> bytes, const std::string& name, const TableOptions& options = {},
                TableReport* report = nullptr);

}  // namespace gaussianize::detail
