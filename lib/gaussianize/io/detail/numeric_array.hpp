#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gaussianize/io/table.hpp"

namespace gaussianize::detail {

enum class ElementType { u1, i1, u2, i2, u4, i4, u8, i8, f4, f8 };

/// Bytes of one element.
std::size_t size_of(ElementType type);

/// An array of numbers as it is stored in a file, aligned or not.
struct NumericArray {
  ElementType type = ElementType::f8;
  bool big_endian = false;
  bool fortran_order = false;        ///< the first index varies fastest, else the last
  std::vector<std::uint64_t> shape;  ///< not empty
  std::span<const std::byte> bytes;
};

/// The array as a table: the first index is the row, all others together the column, the last of them fastest; a
/// one-dimensional array is one column. Columns have no names. Integers must be exact in double. Throws FileError,
/// beginning with `name`, if the shape does not match the number of bytes, before anything is allocated; DataError for
/// an array without elements, a number that is not finite (unless options.missing drops it) or not exact; and
/// std::invalid_argument for columns that do not exist.
Table array_table(const NumericArray& array, const std::string& name, const TableOptions& options, TableReport* report);

}  // namespace gaussianize::detail
