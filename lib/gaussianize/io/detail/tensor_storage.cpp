#include "gaussianize/io/detail/tensor_storage.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/json_text.hpp"

namespace gaussianize::detail {
namespace {

static_assert(std::endian::native == std::endian::little,
              "gaussianize reads and writes model files on little-endian machines only");

constexpr std::uint64_t polynomial = 0xC96C5795D7870F42;
using CrcTable = std::array<std::array<std::uint64_t, 256>, 8>;

/// table[k][b] is what byte b does to the remainder once k more bytes have followed it.
constexpr CrcTable make_table() {
  CrcTable table{};
  for (std::uint64_t b = 0; b < 256; ++b) {
    std::uint64_t r = b;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ ((r & 1) != 0 ? polynomial : 0);
    table[0][b] = r;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b) table[k][b] = (table[k - 1][b] >> 8) ^ table[0][table[k - 1][b] & 0xFF];
  return table;
}

constexpr CrcTable crc_table = make_table();

constexpr std::size_t length_size = 8;
constexpr std::string_view opening = R"({"__metadata__":{"checksum":")";
constexpr std::size_t digits_at = length_size + opening.size();
constexpr std::size_t hex_digits = 16;

bool has_room(std::span<const std::byte> file) {
  return file.size() > digits_at + hex_digits &&
         std::memcmp(file.data() + length_size, opening.data(), opening.size()) == 0 &&
         static_cast<char>(file[digits_at + hex_digits]) == '"';
}

std::array<char, hex_digits> checksum_of(std::span<const std::byte> file) {
  std::uint64_t crc = crc64(file.first(digits_at));
  crc = crc64(std::as_bytes(std::span(empty_checksum, hex_digits)), crc);
  crc = crc64(file.subspan(digits_at + hex_digits), crc);
  std::array<char, hex_digits> text{};
  for (std::size_t i = 0; i < hex_digits; ++i) text[i] = "0123456789abcdef"[(crc >> (60 - 4 * i)) & 0xF];
  return text;
}

/// Turns `rows` rows of `columns` numbers into `columns` rows of `rows`.
void transpose(const double* from, std::size_t rows, std::size_t columns, double* to) {
  // An empty array may claim any size of its other extent.
  if (rows == 0 || columns == 0) return;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
}

/// The entries of a matrix row by row; of a cube slice by slice, each row by row.
std::vector<double> row_major(const arma::mat& matrix) {
  std::vector<double> values(matrix.n_elem);
  transpose(matrix.memptr(), matrix.n_cols, matrix.n_rows, values.data());
  return values;
}

std::vector<double> row_major(const arma::cube& cube) {
  std::vector<double> values(cube.n_elem);
  for (std::size_t t = 0; t < cube.n_slices; ++t)
    transpose(cube.memptr() + t * cube.n_elem_slice, cube.n_cols, cube.n_rows, values.data() + t * cube.n_elem_slice);
  return values;
}

/// The reverse. Requires as many values as the extents give.
arma::mat from_row_major(const std::vector<double>& values, std::size_t rows, std::size_t columns) {
  arma::mat matrix(rows, columns, arma::fill::none);
  transpose(values.data(), rows, columns, matrix.memptr());
  return matrix;
}

arma::cube from_row_major(const std::vector<double>& values, std::size_t slices, std::size_t rows,
                          std::size_t columns) {
  arma::cube cube(rows, columns, slices, arma::fill::none);
  for (std::size_t t = 0; t < slices; ++t)
    transpose(values.data() + t * rows * columns, rows, columns, cube.memptr() + t * rows * columns);
  return cube;
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t extent : shape)
    text.append(text.empty() ? "" : "×").append(extent == any_extent ? "any" : std::to_string(extent));
  return text.empty() ? "scalar" : text;
}

bool fits(const std::vector<std::uint64_t>& shape, const std::vector<std::uint64_t>& wanted) {
  bool same = shape.size() == wanted.size();
  for (std::size_t i = 0; same && i < shape.size(); ++i) same = wanted[i] == any_extent || shape[i] == wanted[i];
  return same;
}

}  // namespace

std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t before) {
  std::uint64_t crc = ~before;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    word ^= crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= crc_table[7 - k][(word >> (8 * k)) & 0xFF];
  }
  for (const std::byte b : bytes) crc = (crc >> 8) ^ crc_table[0][(crc ^ static_cast<std::uint64_t>(b)) & 0xFF];
  return ~crc;
}

void add_checksum(std::vector<std::byte>& file) {
  require(has_room(file), "add_checksum: the file's first metadata entry must be \"checksum\": \"", empty_checksum,
          "\"");
  const auto text = checksum_of(file);
  std::memcpy(file.data() + digits_at, text.data(), hex_digits);
}

void check_checksum(std::span<const std::byte> file, const std::string& name) {
  if (!has_room(file))
    throw FileError(concat(name,
                           ": has no checksum at its beginning, so it was changed by another program; "
                           "copy the original file again"));
  const auto text = checksum_of(file);
  if (std::memcmp(file.data() + digits_at, text.data(), hex_digits) != 0)
    throw FileError(concat(name, ": its checksum is wrong, so it was changed or damaged; copy the file again"));
}

void TensorWriter::add(const std::string& name, const arma::mat& matrix) {
  add(name, row_major(matrix), {matrix.n_rows, matrix.n_cols});
}

void TensorWriter::add(const std::string& name, const arma::cube& cube) {
  add(name, row_major(cube), {cube.n_slices, cube.n_rows, cube.n_cols});
}

std::vector<std::byte> TensorWriter::file(const FileKind& kind, std::map<std::string, std::string> metadata) const {
  metadata["checksum"] = empty_checksum;
  metadata["format"] = kind.format;
  metadata["format_version"] = std::to_string(kind.version);
  std::vector<std::byte> bytes = encode_safetensors({std::move(metadata), tensors_});
  add_checksum(bytes);
  return bytes;
}

TensorReader::TensorReader(const FileKind& kind, std::span<const std::byte> file, const std::string& name)
    : kind_(kind), name_(name), content_(decode_safetensors(file, name)) {
  // In this order: another kind or version may have another kind of checksum.
  check_format();
  check_checksum(file, name);
}

void TensorReader::check_format() const {
  const auto format = content_.metadata.find("format");
  if (format != content_.metadata.end() && format->second != kind_.format)
    for (const FileKind& other : file_kinds)
      if (format->second == other.format)
        fail("is a gaussianize ", other.noun, ", which ", other.reader, " reads; give a ", kind_.noun, " here");
  if (format == content_.metadata.end() || format->second != kind_.format)
    fail("is a safetensors file, but not a gaussianize ", kind_.noun, "; give a file that gaussianize saved");
  const std::uint64_t version = count("format_version");
  if (version > kind_.version)
    fail("made by a newer version: upgrade gaussianize (the file has format ", version, ", this program reads format ",
         kind_.version, ")");
  if (version < 1) fail("has format version ", version, ", which never existed");
}

const std::string& TensorReader::text(const std::string& key) const {
  const auto place = content_.metadata.find(key);
  if (place == content_.metadata.end())
    fail_unsound("its metadata lack \"", key, "\", so it is not a complete ", kind_.noun);
  return place->second;
}

std::uint64_t TensorReader::count(const std::string& key) const {
  const std::string& digits = text(key);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size())
    fail_unsound("its metadata \"", key, "\" are ", in_quotes(digits), ", which is not a whole number");
  return number;
}

std::vector<std::string> TensorReader::list(const std::string& key) const {
  auto items = parse_json_list(text(key));
  if (!items) fail_unsound("its metadata \"", key, "\" are not a JSON list of strings");
  return std::move(*items);
}

std::map<std::string, std::string> TensorReader::map(const std::string& key) const {
  auto items = parse_json_map(text(key));
  if (!items) fail_unsound("its metadata \"", key, "\" are not a JSON object of strings");
  return std::move(*items);
}

std::vector<std::string> TensorReader::names() const {
  std::vector<std::string> names;
  for (const auto& entry : content_.tensors) names.push_back(entry.first);
  return names;
}

TensorView TensorReader::take_view(const std::string& tensor, TensorType type,
                                   const std::vector<std::uint64_t>& shape) {
  const auto place = content_.tensors.find(tensor);
  if (place == content_.tensors.end()) fail_unsound("lacks tensor ", tensor);
  TensorView view = std::move(place->second);
  content_.tensors.erase(place);
  if (view.type != type || !fits(view.shape, shape))
    fail_unsound("tensor ", in_quotes(tensor), " is ", name_of(view.type), " ", shape_text(view.shape), "; the ",
                 kind_.noun, " needs ", name_of(type), " ", shape_text(shape));
  return view;
}

arma::mat TensorReader::take_matrix(const std::string& tensor, std::uint64_t rows, std::uint64_t columns) {
  const TensorView view = take_view(tensor, TensorType::f64, {rows, columns});
  return from_row_major(tensor_values<double>(view), view.shape[0], view.shape[1]);
}

arma::cube TensorReader::take_cube(const std::string& tensor, std::uint64_t slices, std::uint64_t rows,
                                   std::uint64_t columns) {
  const TensorView view = take_view(tensor, TensorType::f64, {slices, rows, columns});
  return from_row_major(tensor_values<double>(view), view.shape[0], view.shape[1], view.shape[2]);
}

void TensorReader::check_all_taken() const {
  if (!content_.tensors.empty())
    fail_unsound("holds tensor ", in_quotes(content_.tensors.begin()->first), ", which the ", kind_.noun,
                 " does not need");
}

}  // namespace gaussianize::detail
