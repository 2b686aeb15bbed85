// NPY and IDX files, made byte by byte.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/io/detail/numeric_files.hpp"

#include "io/table_checks.hpp"
#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::bytes_of;
using gaussianize::testing::complaint;
using gaussianize::testing::same_bytes;

namespace {

template <class T>
std::string bytes_in_order(const std::vector<T>& values, bool big_endian) {
  std::string bytes;
  for (const T value : values) {
    std::array<char, sizeof(T)> one;
    std::memcpy(one.data(), &value, sizeof(T));
    if (big_endian != (std::endian::native == std::endian::big)) std::reverse(one.begin(), one.end());
    bytes.append(one.data(), one.size());
  }
  return bytes;
}

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  const std::string header = dictionary + "\n";
  std::string file = std::string("\x93NUMPY") + version + '\0';
  for (std::size_t i = 0; i < (version == 1 ? 2u : 4u); ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return file + header + data;
}

std::string dictionary(const std::string& type, bool fortran, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
}

std::string idx(char type, const std::vector<std::uint32_t>& shape, const std::string& data) {
  return std::string{'\0', '\0', type, static_cast<char>(shape.size())} + bytes_in_order(shape, true) + data;
}

arma::mat npy_values(const std::string& file, const TableOptions& options = {}) {
  return parse_npy(bytes_of(file), "t.npy", options).values;
}
std::string npy_complaint(const std::string& file, const TableOptions& options = {}) {
  return complaint([&] { npy_values(file, options); });
}
arma::mat idx_values(const std::string& file) {
  return parse_idx(bytes_of(file), "t.idx").values;
}
std::string idx_complaint(const std::string& file) {
  return complaint([&] { idx_values(file); });
}

/// 2×3 of small integers in every type, order and byte order.
template <class T>
void check_type(const std::string& code) {
  const std::vector<T> c_order{1, 2, 3, 4, 5, 100}, fortran_order{1, 4, 2, 5, 3, 100};
  const arma::mat expected{{1, 2, 3}, {4, 5, 100}};
  for (const bool big : {false, true}) {
    if (sizeof(T) == 1 && big) continue;
    const std::string type = (sizeof(T) == 1 ? "|" : big ? ">" : "<") + code;
    CHECK(same_bytes(npy_values(npy(dictionary(type, false, "(2, 3)"), bytes_in_order(c_order, big))), expected));
    CHECK(same_bytes(npy_values(npy(dictionary(type, true, "(2, 3)"), bytes_in_order(fortran_order, big))), expected));
  }
}

}  // namespace

TEST_CASE("NPY: every type in both orders and byte orders") {
  check_type<std::uint8_t>("u1");
  check_type<std::int8_t>("i1");
  check_type<std::uint16_t>("u2");
  check_type<std::int16_t>("i2");
  check_type<std::uint32_t>("u4");
  check_type<std::int32_t>("i4");
  check_type<std::uint64_t>("u8");
  check_type<std::int64_t>("i8");
  check_type<float>("f4");
  check_type<double>("f8");
  CHECK(same_bytes(npy_values(npy(dictionary("|b1", false, "(2,)"), std::string("\1\0", 2))), arma::mat("1; 0")));
  CHECK(npy_values(npy(dictionary("<i4", false, "(1,)"), bytes_in_order<std::int32_t>({-7}, false)))(0) == -7.0);
}

TEST_CASE("NPY: versions, spacing, order of entries, one dimension and many") {
  const std::string eight = bytes_in_order<double>({0, 1, 2, 3, 4, 5, 6, 7}, false);
  for (const char version : {'\1', '\2', '\3'})
    CHECK(
        same_bytes(npy_values(npy(dictionary("<f8", false, "(8,)"), eight, version)), arma::mat(arma::regspace(0, 7))));
  CHECK(same_bytes(npy_values(npy("{\"shape\":(2L,4L) ,'fortran_order' :False,'descr':'<f8'}   ", eight)),
                   arma::mat{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  // Element (i, j, k) of a 2×2×2 array is column 2j + k of row i, whichever index varies fastest in the file.
  CHECK(
      same_bytes(npy_values(npy(dictionary("<f8", false, "(2, 2, 2)"), eight)), arma::mat{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  CHECK(
      same_bytes(npy_values(npy(dictionary("<f8", true, "(2, 2, 2)"), eight)), arma::mat{{0, 4, 2, 6}, {1, 5, 3, 7}}));
  CHECK(same_bytes(npy_values(npy(dictionary("<f8", true, "(2, 2, 2)"), eight), {.columns = "3,1"}),
                   arma::mat{{6, 4}, {7, 5}}));
}

TEST_CASE("NPY: what is written is read, to the last bit") {
  arma::mat values(37, 5);
  for (std::size_t i = 0; i < values.n_elem; ++i) values[i] = std::sin(static_cast<double>(i)) * 1e-310;
  values(0) = -0.0;
  const auto file = encode_npy(values);
  CHECK(same_bytes(parse_npy(file, "t").values, values));
  const std::size_t data = file.size() - 8 * values.n_elem;
  CHECK(data % 64 == 0);  // as NumPy aligns it
}

TEST_CASE("NPY: missing numbers and limits") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::string file =
      npy(dictionary("<f8", false, "(4, 2)"), bytes_in_order<double>({1, nan, 2, 3, inf, 4, 5, 6}, false));
  CHECK(npy_complaint(file) ==
        "data: t.npy: row 0, column 1 (counted from 0): nan is not a finite number; fill it in, drop "
        "such rows, or leave the column out");
  CHECK(npy_complaint(file, {.columns = "0"}).find("data: t.npy: row 2, column 0 (counted from 0): inf is not") == 0);
  CHECK(same_bytes(npy_values(file, {.columns = "1,0", .missing = Missing::drop}), arma::mat{{3, 2}, {6, 5}}));
  TableReport report;
  const TableOptions options{.missing = Missing::drop, .max_rows = 1};
  CHECK(same_bytes(parse_npy(bytes_of(file), "t", options, &report).values, arma::mat{{2, 3}}));
  CHECK(report.rows_dropped == 1);
  CHECK(report.dropped_after == std::vector<std::size_t>{0});
  CHECK(npy_complaint(npy(dictionary("<f8", false, "(1,)"), bytes_in_order<double>({nan}, false)),
                      {.missing = Missing::drop}) ==
        "data: t.npy: no row is left: all 1 have numbers that are not finite; choose other columns");
}

TEST_CASE("NPY: integers beyond 2^53 are exact or refused") {
  const auto file = [](std::int64_t value) {
    return npy(dictionary("<i8", false, "(1,)"), bytes_in_order<std::int64_t>({value}, false));
  };
  for (const std::int64_t value :
       {std::int64_t{1} << 53, (std::int64_t{1} << 53) + 2, INT64_MIN, -(std::int64_t{3} << 60)})
    CHECK(npy_values(file(value))(0) == static_cast<double>(value));
  CHECK(npy_complaint(file((std::int64_t{1} << 53) + 1)) ==
        "data: t.npy: row 0: the integer 9007199254740993 has no exact double; subtract an offset or divide, and save "
        "it as "
        "float64");
  CHECK(npy_complaint(file(INT64_MAX)).find("the integer 9223372036854775807 has no") != std::string::npos);
  CHECK(npy_complaint(npy(dictionary("<u8", false, "(1,)"), std::string(8, '\xFF'))).find("18446744073709551615") !=
        std::string::npos);
}

TEST_CASE("NPY: a header that lies is refused before anything is allocated") {
  CHECK(npy_complaint(npy(dictionary("<f8", false, "(1152921504606846976, 1)"), "12345678")) ==
        "file: t.npy: the header promises 9223372036854775808 bytes of numbers and 8 follow; write the file again");
  CHECK(npy_complaint(npy(dictionary("<f8", false, "(1152921504606846976, 4)"), "12345678")) ==
        "file: t.npy: the header promises more than 2^64 bytes of numbers and 8 follow; write the file again");
  CHECK(npy_complaint(npy(dictionary("<f8", false, "(1,)"), "123456789")).find("promises 8 bytes of numbers and 9") !=
        std::string::npos);
  CHECK(npy_complaint(npy(dictionary("<f8", false, "(0, 1152921504606846976)"), "")) ==
        "data: t.npy: the array has no elements");
  CHECK(npy_complaint(npy(dictionary("<f8", false, "(4, 4294967296, 4294967296)"), "")).find("more than 2^64") !=
        std::string::npos);
}

TEST_CASE("NPY: a file that is not an array of numbers is refused") {
  const std::string fix = "; save the array again with numpy.save";
  CHECK(npy_complaint(npy(dictionary("|O", false, "(1,)"), "x")) ==
        "file: t.npy: is an array of Python objects, which is not read; save it with astype('float64')");
  CHECK(npy_complaint(npy(dictionary("<U5", false, "(1,)"), "x")) ==
        "file: t.npy: holds elements of type '<U5'; save it with astype('float64')");
  for (const char* type : {"<c16", "<f2", "<f16", "f8", "", "|f8", "<M8[ns]"})
    CHECK(npy_complaint(npy(dictionary(type, false, "(1,)"), "x")).find("file: t.npy: holds elements of type") == 0);
  CHECK(npy_complaint(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "x")) ==
        "file: t.npy: is a structured array; save its fields as the columns of a plain float64 array");
  CHECK(npy_complaint(npy(dictionary("<f8", false, "()"), "12345678")) ==
        "file: t.npy: holds a single number without dimensions; save an array of rows");
  CHECK(npy_complaint("\x93NUMPY") == "file: t.npy: the NPY file ends inside its header; copy or save it again");
  CHECK(npy_complaint(npy("{", "").substr(0, 11)) ==
        "file: t.npy: the NPY file ends inside its header; copy or save it again");
  CHECK(npy_complaint(npy("{}", "", 9)) ==
        "file: t.npy: has NPY format version 9, and 1 to 3 are read; save it with numpy.save");
  CHECK(npy_complaint("abc") == "file: t.npy: does not begin as an NPY file does; is the name's ending right?");
  const std::string start = "file: t.npy: the NPY header cannot be read: ";
  CHECK(npy_complaint(npy("{}", "")) == start + "it lacks descr, fortran_order or shape" + fix);
  CHECK(npy_complaint(npy("{'shape': (1,), 'shape': (1,)}", "")) ==
        start + "it has an entry 'shape' that is unknown or appears twice" + fix);
  CHECK(npy_complaint(npy("{'fortran_order': Maybe}", "")) == start + "fortran_order is neither True nor False" + fix);
  CHECK(npy_complaint(npy("{'shape': (-1,)}", "")) == start + "the shape is not a list of sizes" + fix);
  CHECK(npy_complaint(npy("{'shape': (99999999999999999999,)}", "")) ==
        start + "the shape is not a list of sizes" + fix);
  CHECK(npy_complaint(npy("{'shape", "")) == start + "a quote does not end" + fix);
  CHECK(npy_complaint(npy("[]", "")) == start + "'{' is missing at its byte 0" + fix);
  CHECK(npy_complaint(npy(dictionary("<f8", false, "(1,)") + "x", "")) == start + "text follows it" + fix);
}

TEST_CASE("IDX: every type, N rows of all that remains") {
  const arma::mat expected{{1, 2, 3, 4}, {5, 6, 7, -8}};
  CHECK(same_bytes(idx_values(idx(0x08, {2, 2, 2}, std::string("\1\2\3\4\5\6\7\xF8", 8))),
                   arma::mat{{1, 2, 3, 4}, {5, 6, 7, 248}}));
  CHECK(same_bytes(idx_values(idx(0x09, {2, 2, 2}, std::string("\1\2\3\4\5\6\7\xF8", 8))), expected));
  CHECK(same_bytes(idx_values(idx(0x0B, {2, 4}, bytes_in_order<std::int16_t>({1, 2, 3, 4, 5, 6, 7, -8}, true))),
                   expected));
  CHECK(same_bytes(idx_values(idx(0x0C, {2, 4}, bytes_in_order<std::int32_t>({1, 2, 3, 4, 5, 6, 7, -8}, true))),
                   expected));
  CHECK(same_bytes(idx_values(idx(0x0D, {2, 4}, bytes_in_order<float>({1, 2, 3, 4, 5, 6, 7, -8}, true))), expected));
  CHECK(same_bytes(idx_values(idx(0x0E, {2, 4}, bytes_in_order<double>({1, 2, 3, 4, 5, 6, 7, -8}, true))), expected));
  CHECK(same_bytes(idx_values(idx(0x08, {3}, "abc")), arma::mat("97; 98; 99")));
}

TEST_CASE("IDX: lies and leftovers are refused") {
  CHECK(idx_complaint(idx(0x08, {4294967295u, 4294967295u, 4294967295u}, "abcd")) ==
        "file: t.idx: the header promises more than 2^64 bytes of numbers and 4 follow; write the file again");
  CHECK(idx_complaint(idx(0x08, {3}, "ab")) ==
        "file: t.idx: the header promises 3 bytes of numbers and 2 follow; write the file again");
  CHECK(idx_complaint(idx(0x08, {3}, "abc").substr(0, 6)) ==
        "file: t.idx: the IDX file ends inside its header; copy it again");
  CHECK(idx_complaint(idx(0x08, {0, 5}, "")) == "data: t.idx: the array has no elements");
  CHECK(idx_complaint(idx(0x0A, {3}, "abc")) == "file: t.idx: does not begin as an IDX file does");
  CHECK(idx_complaint(idx(0x08, {}, "abc")) == "file: t.idx: does not begin as an IDX file does");
}
