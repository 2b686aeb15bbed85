#include "gaussianize/io/detail/numeric_files.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/json_text.hpp"
#include "gaussianize/io/detail/numeric_array.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// The header, a Python dictionary of three entries in any order, read by its grammar and nothing else.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NumericArray parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted_text();
      expect(':');
      if (key == "descr" && !type_)
        parse_type();
      else if (key == "fortran_order" && !fortran_order_)
        parse_order();
      else if (key == "shape" && !shape_)
        parse_shape();
      else
        fail(concat("it has an entry ", in_quotes(key), " that is unknown or appears twice"));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("text follows it");
    if (!type_ || !fortran_order_ || !shape_) fail("it lacks descr, fortran_order or shape");
    return {*type_, big_endian_, *fortran_order_, *shape_, {}};
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw FileError(
        concat(name_, ": the NPY header cannot be read: ", problem, "; save the array again with numpy.save"));
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(concat("'", c, "' is missing at its byte ", at_));
  }
  bool accept_text(std::string_view text) {
    skip_space();
    if (text_.substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }

  std::string_view quoted_text() {
    skip_space();
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a quote does not end");
    const std::string_view inside = text_.substr(at_, end - at_);
    at_ = end + 1;
    return inside;
  }

  void parse_order() {
    const bool yes = accept_text("True");
    if (!yes && !accept_text("False")) fail("fortran_order is neither True nor False");
    fortran_order_ = yes;
  }

  void parse_shape() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      std::uint64_t extent = 0;
      skip_space();
      const char* const begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc{}) fail("the shape is not a list of sizes");
      at_ += static_cast<std::size_t>(end - begin);
      accept('L');  // Python 2's mark of long integers
      shape.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    shape_ = std::move(shape);
  }

  void parse_type() {
    skip_space();
    if (at_ < text_.size() && text_[at_] == '[')
      throw FileError(
          concat(name_, ": is a structured array; save its fields as the columns of a plain float64 array"));
    static const std::map<std::string_view, ElementType> types{
        {"b1", ElementType::u1}, {"u1", ElementType::u1}, {"i1", ElementType::i1}, {"u2", ElementType::u2},
        {"i2", ElementType::i2}, {"u4", ElementType::u4}, {"i4", ElementType::i4}, {"u8", ElementType::u8},
        {"i8", ElementType::i8}, {"f4", ElementType::f4}, {"f8", ElementType::f8}};
    const std::string_view descr = quoted_text();
    if (descr.find('O') != std::string_view::npos)
      throw FileError(
          concat(name_, ": is an array of Python objects, which is not read; save it with astype('float64')"));
    const std::string_view orders = "<>|=";
    const auto found = types.find(descr.substr(std::min<std::size_t>(1, descr.size())));
    if (descr.empty() || orders.find(descr[0]) == std::string_view::npos || found == types.end() ||
        (descr[0] == '|' && size_of(found->second) > 1))
      throw FileError(concat(name_, ": holds elements of type ", in_quotes(descr), "; save it with astype('float64')"));
    type_ = found->second;
    big_endian_ = descr[0] == '>' || (descr[0] == '=' && std::endian::native == std::endian::big);
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  std::optional<ElementType> type_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::uint64_t>> shape_;
  bool big_endian_ = false;
};

}  // namespace

bool is_npy(std::span<const std::byte> bytes) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

Table parse_npy(std::span<const std::byte> bytes, const std::string& name, const TableOptions& options,
                TableReport* report) {
  if (!is_npy(bytes))
    throw FileError(concat(name, ": does not begin as an NPY file does; is the name's ending right?"));
  const auto byte = [&](std::size_t i) { return std::to_integer<std::size_t>(bytes[i]); };
  constexpr std::size_t version_end = 8;
  const std::size_t version = bytes.size() >= version_end ? byte(6) : 1;
  if (version < 1 || version > 3)
    throw FileError(
        concat(name, ": has NPY format version ", version, ", and 1 to 3 are read; save it with numpy.save"));

  const std::size_t length_size = version == 1 ? 2 : 4;
  const std::size_t begin = version_end + length_size;
  std::size_t length = 0;
  for (std::size_t i = 0; begin <= bytes.size() && i < length_size; ++i) length |= byte(version_end + i) << (8 * i);
  if (bytes.size() < begin || bytes.size() - begin < length)
    throw FileError(concat(name, ": the NPY file ends inside its header; copy or save it again"));

  const auto header = bytes.subspan(begin, length);
  NumericArray array = HeaderParser({reinterpret_cast<const char*>(header.data()), header.size()}, name).parse();
  if (array.shape.empty())
    throw FileError(concat(name, ": holds a single number without dimensions; save an array of rows"));
  array.bytes = bytes.subspan(begin + length);
  return array_table(array, name, options, report);
}

std::vector<std::byte> encode_npy(const arma::mat& values) {
  static_assert(std::endian::native == std::endian::little, "the numbers are written as they are in memory");
  std::string header =
      concat("{'descr': '<f8', 'fortran_order': True, 'shape': (", values.n_rows, ", ", values.n_cols, "), }");
  constexpr std::size_t prefix = 10, alignment = 64;
  header.append((alignment - (prefix + header.size() + 1) % alignment) % alignment, ' ').append("\n");

  const std::size_t size = values.n_elem * sizeof(double);
  std::vector<std::byte> file(prefix + header.size() + size);
  std::memcpy(file.data(), "\x93NUMPY\x01\x00", 8);
  file[8] = static_cast<std::byte>(header.size() & 0xFF);
  file[9] = static_cast<std::byte>(header.size() >> 8);
  std::memcpy(file.data() + prefix, header.data(), header.size());
  if (size > 0) std::memcpy(file.data() + prefix + header.size(), values.memptr(), size);
  return file;
}

namespace {

std::optional<ElementType> type_of(std::byte code) {
  switch (std::to_integer<int>(code)) {
    case 0x08:
      return ElementType::u1;
    case 0x09:
      return ElementType::i1;
    case 0x0B:
      return ElementType::i2;
    case 0x0C:
      return ElementType::i4;
    case 0x0D:
      return ElementType::f4;
    case 0x0E:
      return ElementType::f8;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool is_idx(std::span<const std::byte> bytes) {
  return bytes.size() >= 4 && bytes[0] == std::byte{0} && bytes[1] == std::byte{0} && type_of(bytes[2]).has_value() &&
         bytes[3] != std::byte{0};
}

Table parse_idx(std::span<const std::byte> bytes, const std::string& name, const TableOptions& options,
                TableReport* report) {
  if (!is_idx(bytes)) throw FileError(concat(name, ": does not begin as an IDX file does"));
  const auto dimensions = std::to_integer<std::size_t>(bytes[3]);
  const std::size_t begin = 4 + 4 * dimensions;
  if (bytes.size() < begin) throw FileError(concat(name, ": the IDX file ends inside its header; copy it again"));
  NumericArray array{*type_of(bytes[2]), true, false, {}, bytes.subspan(begin)};
  for (std::size_t at = 4; at < begin; at += 4) {
    std::uint64_t extent = 0;
    for (std::size_t i = 0; i < 4; ++i) extent = extent << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
    array.shape.push_back(extent);
  }
  return array_table(array, name, options, report);
}

}  // namespace gaussianize::detail
