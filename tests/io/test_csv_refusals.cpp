// Every way in which a text is no table of numbers, with the exact message.

#include <string>

#include <doctest/doctest.h>

#include "gaussianize/io/detail/csv.hpp"

#include "io/table_checks.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::csv_complaint;

namespace {

const std::string missing_fix = "; fill it in, drop such rows, or leave the column out";
const TableOptions no_header{.delimiter = ',', .header = false};

}  // namespace

TEST_CASE("an empty file") {
  CHECK(csv_complaint("") == "data: t.csv: is empty");
  CHECK(csv_complaint("\xEF\xBB\xBF\n  \r\n") == "data: t.csv: has only blank lines");
}

TEST_CASE("a header and nothing else") {
  CHECK(csv_complaint("a,b\n\n") == "data: t.csv: has a header but no rows below it");
}

TEST_CASE("a cell that is not a number") {
  CHECK(csv_complaint("a,b\n1,2\n3,abc\n") ==
        "data: t.csv: line 3, column 1 ('b'): 'abc' is not a number; correct it, or leave the column out");
  CHECK(csv_complaint("1,2\n3,abc\n") ==
        "data: t.csv: line 2, column 1 (counted from 0): 'abc' is not a number; correct "
        "it, or leave the column out");
}

TEST_CASE("lines are counted as an editor does, quoted line ends and all") {
  CHECK(csv_complaint("\"a\nb\",c\n1,2\n3,x\n").find("t.csv: line 4, column 1 ('c'): 'x' is not a number") !=
        std::string::npos);
}

TEST_CASE("an empty cell, NA, NaN and infinity") {
  CHECK(csv_complaint("a,b\n,2\n") == "data: t.csv: line 2, column 0 ('a'): the cell is empty" + missing_fix);
  for (const std::string cell : {"NA", "nan", "NaN", "-inf", "Infinity", "null", "?", "#N/A", "None"})
    CHECK(csv_complaint("a,b\n1," + cell + "\n") ==
          "data: t.csv: line 2, column 1 ('b'): '" + cell + "' is not a finite number" + missing_fix);
}

TEST_CASE("all rows dropped") {
  CHECK(csv_complaint("a\nNA\nNA\n", {.missing = Missing::drop}) ==
        "data: t.csv: no row is left: all 2 have missing cells; choose other columns");
}

TEST_CASE("1e400") {
  CHECK(csv_complaint("1,1e400\n", no_header) ==
        "data: t.csv: line 1, column 1 (counted from 0): '1e400' exceeds the largest number, 1.8e308; rescale the "
        "column");
}

TEST_CASE("0x10") {
  CHECK(csv_complaint("1,0x10\n", no_header) ==
        "data: t.csv: line 1, column 1 (counted from 0): '0x10' is not a number; "
        "write it in decimal digits");
}

TEST_CASE("a typographic minus") {
  CHECK(csv_complaint("a\n\u22125\n") ==
        "data: t.csv: line 2, column 0 ('a'): '\u22125' is not a number; it has a typographic minus; replace it by the "
        "hyphen-minus '-' of the keyboard");
}

TEST_CASE("decimal commas between semicolons") {
  CHECK(csv_complaint("a;b\n1,5;2\n", {}) ==
        "data: t.csv: line 2, column 0 ('a'): '1,5' is not a number; numbers take a "
        "decimal point and no thousands separator; write 1.5, not 1,5");
}

TEST_CASE("semicolons in a file of commas") {
  CHECK(
      csv_complaint("a;b\n1,5;2,5\n") ==
      "data: t.csv: line 2: the line has 3 cells where the first line has 1; the first line holds ';': if it separates "
      "the cells, set the delimiter to ';'");
  CHECK(csv_complaint("a;b\n1;2\n") ==
        "data: t.csv: line 2, column 0 ('a;b'): '1;2' is not a number; it holds a "
        "semicolon; if semicolons separate the cells, set the delimiter to ';'");
  CHECK(csv_complaint("1,5;2,5\n3,0;4,1\n") ==
        "data: t.csv: line 1: this may be a header or a row: '1' is a number and '5;2' is not; it holds ';': if that "
        "separates the cells, set the delimiter to ';'");
}

TEST_CASE("tabs in a file of commas") {
  CHECK(csv_complaint("a\tb\n1\t2\n") ==
        "data: t.csv: line 2, column 0 ('a?b'): '1?2' is not a number; it holds a tab; if "
        "tabs separate the cells, set the delimiter to tab");
}

TEST_CASE("spaces in a file of commas, commas in a file of spaces") {
  CHECK(csv_complaint("x\n1 2\n") ==
        "data: t.csv: line 2, column 0 ('x'): '1 2' is not a number; it holds spaces; if "
        "spaces separate the cells, set the delimiter to ' '");
  CHECK(csv_complaint("x y\n1,a 2\n", {.delimiter = ' '}) ==
        "data: t.csv: line 2, column 0 ('x'): '1,a' is not a number; it holds a comma; if commas separate the cells, "
        "set the delimiter to ','");
}

TEST_CASE("ragged rows") {
  CHECK(
      csv_complaint("a,b,c\n1,2,3\n4,5\n") ==
      "data: t.csv: line 3: the line has 2 cells where the first line has 3; give every line the same number of cells");
  CHECK(
      csv_complaint("1 2\n3\n", {.delimiter = ' '}) ==
      "data: t.csv: line 2: the line has 1 cell where the first line has 2; give every line the same number of cells");
}

TEST_CASE("a delimiter at the end of a line") {
  CHECK(csv_complaint("a,b\n1,2,\n") ==
        "data: t.csv: line 2: the line has 3 cells where the first line has 2; remove the delimiter that ends it");
  CHECK(csv_complaint("1,2,\n3,4,\n") ==
        "data: t.csv: line 1, column 2 (counted from 0): the cell is empty; remove the "
        "delimiter that ends the line, fill it in, drop such rows, or "
        "leave the column out");
  CHECK(
      csv_complaint("a,b,\n1,2,\n") ==
      "data: t.csv: the header: column 2 (counted from 0) has no name; remove the delimiter that ends the lines, name "
      "it, or leave it out");
}

TEST_CASE("a blank line in the middle") {
  CHECK(csv_complaint("a,b\n1,2\n\n3,4\n") == "data: t.csv: line 3: the line is blank; remove it, or drop such lines");
  CHECK(csv_complaint("\na,b\n1,2\n") == "data: t.csv: line 1: the first line is blank; remove it");
}

TEST_CASE("carriage returns alone") {
  const std::string fix = "a carriage return has no line feed; end lines with LF or CR LF (tr '\\r' '\\n' converts)";
  CHECK(csv_complaint("a,b\r1,2\r3,4\r") == "data: t.csv: line 1: " + fix);
  CHECK(csv_complaint("a,b\n1,x\r2\n", {.columns = "a"}) == "data: t.csv: line 2: " + fix);
}

TEST_CASE("UTF-16, with and without byte-order mark") {
  const std::string little(
      "\xFF\xFE"
      "1\0,\0",
      6),
      big("\xFE\xFF\0"
          "1",
          4),
      unmarked(
          "1\0,\0"
          "2\0",
          6);
  CHECK(csv_complaint(little) == "data: t.csv: is UTF-16 text; convert it to UTF-8 (iconv -f UTF-16 -t UTF-8)");
  CHECK(csv_complaint(big) == csv_complaint(little));
  CHECK(csv_complaint(unmarked) ==
        "data: t.csv: has NUL bytes, as UTF-16 text does; convert it to UTF-8 (iconv -f UTF-16LE -t UTF-8)");
}

TEST_CASE("a NUL byte") {
  CHECK(csv_complaint(std::string_view("1,2\n3,\0\n", 8)) ==
        "data: t.csv: line 2: a NUL byte; this is not a text file, or it is damaged");
}

TEST_CASE("a first line of names and numbers") {
  CHECK(csv_complaint("5.1,3.5,setosa\n4.9,3.0,setosa\n") ==
        "data: t.csv: line 1: this may be a header or a row: '5.1' is a number and 'setosa' is not; say which it is");
}

TEST_CASE("names that are missing, twice there, or not UTF-8") {
  CHECK(csv_complaint(",x\n0,1\n") ==
        "data: t.csv: the header: column 0 (counted from 0) has no name; name it, or leave it out");
  CHECK(csv_complaint("x,y,x\n1,2,3\n") ==
        "data: t.csv: the header: columns 0 and 2 (counted from 0) are both named 'x'; "
        "rename one, or leave it out");
  CHECK(csv_complaint("gr\xF6\xDF"
                      "e,y\n1,2\n") ==
        "data: t.csv: the header: the name of column 0 (counted from 0) is not "
        "UTF-8; convert the file (iconv -f LATIN1 -t UTF-8)");
  // Only the columns that are read have to be named well.
  CHECK(parse_csv(",x,x\n0,1,2\n", "t", {.columns = "2"}).columns == std::vector<std::string>{"x"});
}

TEST_CASE("quotes that do not end, or are inside a cell") {
  CHECK(csv_complaint("a,b\n1,\"2\n3,4\n") ==
        "data: t.csv: line 2: a quote begins here and does not end; close or remove it");
  CHECK(csv_complaint("a,b\n1,2\"\n") ==
        "data: t.csv: line 2: a quote stands inside a cell; quote the whole cell and double the quotes inside it");
  CHECK(csv_complaint("a,b\n\"1\"2,3\n") ==
        "data: t.csv: line 2: text follows a closing quote; quote the whole cell and double the quotes inside it");
}

TEST_CASE("a delimiter that is none") {
  for (const char bad : {'1', 'e', '.', '-', '"', '\n', '\x80'})
    CHECK(csv_complaint("1\n", {.delimiter = bad}).find("usage: not a delimiter: '") == 0);
}

TEST_CASE("a line of 100 MB, more than a million columns, a long cell") {
  const std::string line(100'000'000, 'x');
  CHECK(csv_complaint(line + "\n1\n") ==
        "data: t.csv: line 1: the line is 100000000 bytes long, and none may be longer "
        "than 67108864; end lines with LF or CR LF");
  CHECK(csv_complaint("a\n" + line) == "data: t.csv: line 2, column 0 ('a'): '" + std::string(80, 'x') +
                                           "…' is not a number; correct it, or leave the column out");
  CHECK(csv_complaint(std::string(2'000'000, ',')) ==
        "data: t.csv: line 1: the line has more than 1000000 cells; transpose the table");
  CHECK(csv_complaint("a\n" + std::string(2'000'000, ',')) ==
        "data: t.csv: line 2, column 0 ('a'): the cell is empty" + missing_fix);
}
