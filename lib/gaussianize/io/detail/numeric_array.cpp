#include "gaussianize/io/detail/numeric_array.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/column_selection.hpp"

namespace gaussianize::detail {
namespace {

template <class T>
T load(const std::byte* from, bool swap) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, from, sizeof(T));
  if (swap) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <class T>
bool exact_in_double(T value) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    auto magnitude = static_cast<std::uint64_t>(value);
    if (std::is_signed_v<T> && value < 0) magnitude = 0 - magnitude;
    return magnitude == 0 || std::bit_width(magnitude) - std::countr_zero(magnitude) <= 53;
  }
  return true;
}

bool is_integer(ElementType type) {
  return type != ElementType::f4 && type != ElementType::f8;
}

/// Where the elements of a table's columns lie: element (i, c) at offset[c] + i·stride.
struct Plan {
  std::vector<std::size_t> offset;
  std::size_t stride = 1;
};

std::size_t width_of(const NumericArray& array) {
  std::size_t width = 1;
  for (std::size_t k = 1; k < array.shape.size(); ++k) width *= array.shape[k];
  return width;
}

Plan plan(const NumericArray& array, const std::vector<std::size_t>& columns) {
  Plan result;
  result.stride = array.fortran_order ? 1 : width_of(array);
  for (std::size_t column : columns) {
    std::size_t offset = column;
    if (array.fortran_order) {
      // The indices of the column, last first, and the stride of each.
      offset = 0;
      std::size_t index_stride = width_of(array) * array.shape[0];
      for (std::size_t k = array.shape.size() - 1; k > 0; --k) {
        index_stride /= array.shape[k];
        offset += column % array.shape[k] * index_stride;
        column /= array.shape[k];
      }
    }
    result.offset.push_back(offset);
  }
  return result;
}

template <class T>
void convert(const NumericArray& array, const Plan& where, RowRange rows, arma::mat& to, const std::string& name) {
  const bool swap = array.big_endian != (std::endian::native == std::endian::big);
  for (std::size_t c = 0; c < where.offset.size(); ++c)
    for (std::size_t i = rows.begin; i < rows.end; ++i) {
      const T value = load<T>(array.bytes.data() + sizeof(T) * (where.offset[c] + i * where.stride), swap);
      if (!exact_in_double(value))
        throw DataError(concat(name, ": row ", i, ": the integer ", value,
                               " has no exact double; subtract an offset or divide, and save it as float64"));
      to(i, c) = static_cast<double>(value);
    }
}

using Converter = void (*)(const NumericArray&, const Plan&, RowRange, arma::mat&, const std::string&);

Converter converter(ElementType type) {
  switch (type) {
    case ElementType::u1:
      return convert<std::uint8_t>;
    case ElementType::i1:
      return convert<std::int8_t>;
    case ElementType::u2:
      return convert<std::uint16_t>;
    case ElementType::i2:
      return convert<std::int16_t>;
    case ElementType::u4:
      return convert<std::uint32_t>;
    case ElementType::i4:
      return convert<std::int32_t>;
    case ElementType::u8:
      return convert<std::uint64_t>;
    case ElementType::i8:
      return convert<std::int64_t>;
    case ElementType::f4:
      return convert<float>;
    case ElementType::f8:
      return convert<double>;
  }
  throw std::invalid_argument("unknown element type");
}

void check_extent(const NumericArray& array, const std::string& name) {
  std::uint64_t bytes = size_of(array.type);
  bool overflow = false, empty = false;
  for (const std::uint64_t extent : array.shape) {
    empty = empty || extent == 0;
    overflow = __builtin_mul_overflow(bytes, extent, &bytes) || overflow;
  }
  if (empty) throw DataError(concat(name, ": the array has no elements"));
  if (overflow || bytes != array.bytes.size())
    throw FileError(concat(name, ": the header promises ", overflow ? "more than 2^64" : concat(bytes),
                           " bytes of numbers and ", array.bytes.size(), " follow; write the file again"));
}

/// The first column of row i that is not finite. Requires one.
std::size_t first_missing(const arma::mat& values, std::size_t i) {
  std::size_t c = 0;
  while (std::isfinite(values(i, c))) ++c;
  return c;
}

/// Removes the rows that are not finite, or throws for the first of them, and keeps the first options.max_rows of the
/// others.
void treat_missing(Table& table, const std::vector<std::size_t>& columns, const std::string& name,
                   const TableOptions& options, TableReport* report) {
  const arma::mat& values = table.values;
  std::vector<char> complete(values.n_rows, 1);
  for (std::size_t c = 0; c < values.n_cols; ++c)
    for (std::size_t i = 0; i < values.n_rows; ++i)
      if (!std::isfinite(values(i, c))) complete[i] = 0;

  std::vector<arma::uword> kept;
  std::vector<std::size_t> dropped;
  const std::size_t max_kept = options.max_rows == 0 ? values.n_rows : options.max_rows;
  for (std::size_t i = 0; i < values.n_rows && kept.size() < max_kept; ++i) {
    if (complete[i] == 1) {
      kept.push_back(i);
    } else if (options.missing == Missing::drop) {
      dropped.push_back(kept.size());
    } else {
      const std::size_t c = first_missing(values, i);
      throw DataError(concat(name, ": row ", i, ", ", column_label(columns[c], {}), ": ", values(i, c),
                             " is not a finite number; fill it in, drop such rows, or leave the column out"));
    }
  }
  if (kept.empty())
    throw DataError(concat(name, ": no row is left: all ", dropped.size(),
                           " have numbers that are not finite; choose other columns"));
  if (kept.size() < values.n_rows) table.values = arma::mat(values.rows(arma::uvec(kept)));
  if (report != nullptr) *report = {dropped.size(), std::move(dropped)};
}

}  // namespace

std::size_t size_of(ElementType type) {
  switch (type) {
    case ElementType::u1:
    case ElementType::i1:
      return 1;
    case ElementType::u2:
    case ElementType::i2:
      return 2;
    case ElementType::u4:
    case ElementType::i4:
    case ElementType::f4:
      return 4;
    case ElementType::u8:
    case ElementType::i8:
    case ElementType::f8:
      return 8;
  }
  throw std::invalid_argument("unknown element type");
}

Table array_table(const NumericArray& array, const std::string& name, const TableOptions& options,
                  TableReport* report) {
  check_extent(array, name);
  const std::vector<std::size_t> columns = select_columns(options.columns, {}, width_of(array), name);
  const Plan where = plan(array, columns);
  std::size_t rows = array.shape[0];
  if (options.max_rows != 0 && (options.missing == Missing::error || is_integer(array.type)))
    rows = std::min(rows, options.max_rows);
  Table table{{}, arma::mat(rows, columns.size(), arma::fill::none)};
  parallel_for(block_count(rows), options.threads, [&](std::size_t block) {
    converter(array.type)(array, where, block_range(block, rows), table.values, name);
  });
  treat_missing(table, columns, name, options, report);
  return table;
}

}  // namespace gaussianize::detail
