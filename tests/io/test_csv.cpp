#include <algorithm>
#include <cmath>
#include <limits>
#include <locale>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/random.hpp"
#include "gaussianize/io/detail/csv.hpp"
#include "gaussianize/io/detail/csv_write.hpp"

#include "io/table_checks.hpp"
#include "support/bytes.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::csv_complaint;
using gaussianize::testing::same_bytes;

namespace {

Table parse(std::string_view text, const TableOptions& options = {}) {
  return parse_csv(text, "t.csv", options);
}

using Names = std::vector<std::string>;

/// Rows of numbers, words, quotes and line ends, so that pieces end everywhere.
std::string tangled_text(std::size_t rows) {
  RandomStream random(Seed{5}, Purpose::test);
  std::string text = "a,\"b \"\"q\"\"\",note,c\n";
  for (std::size_t i = 0; i < rows; ++i) {
    text += std::to_string(random.uniform()) + "," + (i % 5 == 0 ? "\"1e" + std::to_string(i % 30) + "\"" : "-3") + ",";
    text += i % 3 == 0 ? "\"x\n, \"\"y\"\"\n\"" : i % 7 == 0 ? "" : "plain";
    text += i % 11 == 0 ? ",NA\r\n" : ", " + std::to_string(i) + " \n";
  }
  return text;
}

}  // namespace

TEST_CASE("a table with a header") {
  const Table table = parse("height,weight\n1.5,-2e3\n.25,+7\n");
  CHECK(table.columns == Names{"height", "weight"});
  CHECK(same_bytes(table.values, arma::mat{{1.5, -2000}, {0.25, 7}}));
}

TEST_CASE("a table without header, without final line end") {
  const Table table = parse("1,2\n3,4");
  CHECK(table.columns.empty());
  CHECK(same_bytes(table.values, arma::mat{{1, 2}, {3, 4}}));
}

TEST_CASE("the delimiter is found in the first line: tab, semicolon, comma, else white space") {
  const arma::mat expected{{1, 2}, {3, 4}};
  for (const char* text : {"1,2\n3,4\n", "1;2\n3;4\n", "1\t2\n3\t4\n", "1 2\n3 4\n", "  1 \t 2  \n3\t4\n\n"})
    CHECK_MESSAGE(same_bytes(parse(text).values, expected), std::string(text));
  CHECK(parse("\"a,b\";c\n1;2\n").columns == Names{"a,b", "c"});
  CHECK(same_bytes(parse("1|2\n3|4\n", {.delimiter = '|'}).values, expected));
  CHECK(same_bytes(parse("1\n2\n").values, arma::mat("1; 2")));
}

TEST_CASE("spaces around cells do not count") {
  CHECK(same_bytes(parse(" 1 ,\t2\n3 , 4 \n", {.delimiter = ','}).values, arma::mat{{1, 2}, {3, 4}}));
  CHECK(parse(" a , \" b \" \n1,2\n").columns == Names{"a", " b "});
}

TEST_CASE("CR LF, byte-order mark and blank lines at the end") {
  const Table table = parse("\xEF\xBB\xBFx,y\r\n1,2\r\n3,4\r\n\r\n  \n");
  CHECK(table.columns == Names{"x", "y"});
  CHECK(same_bytes(table.values, arma::mat{{1, 2}, {3, 4}}));
}

TEST_CASE("quoted cells: names with everything in them, numbers") {
  const Table table = parse("\"a \"\"b\"\", c\",\"two\nlines\"\n\"1\",\" 2 \"\n");
  CHECK(table.columns == Names{"a \"b\", c", "two\nlines"});
  CHECK(same_bytes(table.values, arma::mat{{1, 2}}));
}

TEST_CASE("header or not: by content, or as told") {
  CHECK(parse("1,2\n", {.header = false}).values.n_rows == 1);
  CHECK(parse("2019,2020\n1,2\n", {.header = true}).columns == Names{"2019", "2020"});
  CHECK(parse("id,2020\n1,2\n", {.header = true}).columns == Names{"id", "2020"});
  CHECK(parse("NA,2\n3,4\n", {.missing = Missing::drop}).values.n_rows == 1);
}

TEST_CASE("subnormals, signed zero, the largest and the smallest numbers are read to the last bit") {
  const Table table = parse("4.9e-324,-0,1.7976931348623157e308,2.2250738585072011e-308,1e-400\n");
  const arma::mat expected{{4.9e-324, -0.0, std::numeric_limits<double>::max(), 2.2250738585072011e-308, 0.0}};
  CHECK(same_bytes(table.values, expected));
}

TEST_CASE("columns that are not picked may hold any text, and the order is as asked for") {
  const std::string text = "name,x,y\n\"Ann, \"\"A\"\"\nB\",1,2\nBob,3,4\n,5,6\n";
  const Table table = parse(text, {.columns = "y,x"});
  CHECK(table.columns == Names{"y", "x"});
  CHECK(same_bytes(table.values, arma::mat{{2, 1}, {4, 3}, {6, 5}}));
}

TEST_CASE("missing cells drop their row and are counted, in picked columns alone") {
  const std::string text = "x,y,z\n1,2,\nNA,3,1\n4,nan,1\n5,6,x\n\n7,-Inf,1\n8,?,1\n9,null,1\n10,N/A,1\n11,12,\n";
  TableReport report;
  const Table table = parse_csv(text, "t", {.columns = "x,y", .missing = Missing::drop}, &report);
  CHECK(same_bytes(table.values, arma::mat{{1, 2}, {5, 6}, {11, 12}}));
  CHECK(report.rows_dropped == 7);
  CHECK(report.dropped_after == std::vector<std::size_t>{1, 1, 2, 2, 2, 2, 2});
}

TEST_CASE("max_rows takes the first that are not dropped and sees no fault beyond") {
  const std::string text = "1,2\nNA,2\n3,4\nNA,6\n7,8\nabc,9\n";
  TableReport report;
  const TableOptions options{.header = false, .missing = Missing::drop, .max_rows = 2};
  for (const std::size_t chunk : {1, 5, 9, 1000}) {
    CHECK(same_bytes(parse_csv(text, "t", options, &report, chunk).values, arma::mat{{1, 2}, {3, 4}}));
    CHECK(report.rows_dropped == 1);
    CHECK(report.dropped_after == std::vector<std::size_t>{1});
  }
  CHECK(parse("1\n2\n", {.max_rows = 9}).values.n_rows == 2);
}

TEST_CASE("neither pieces nor threads change a bit of table, report or message") {
  const std::string text = tangled_text(500);
  const TableOptions options{.columns = "c,a,1", .missing = Missing::drop, .threads = 1};
  TableReport report;
  const Table whole = parse_csv(text, "t", options, &report, text.size());
  CHECK(whole.values.n_rows == 454);
  CHECK(report.rows_dropped == 46);
  std::string broken_text = text;
  broken_text.replace(text.rfind("plain"), 5, "p\"ain");
  broken_text.replace(text.rfind(", 4"), 3, ",  ");
  const std::string message = csv_complaint(broken_text, options);
  CHECK(message.find("data: t.csv: line ") == 0);
  for (const std::size_t chunk : {1, 2, 3, 17, 64, 1001, 1 << 20})
    for (const int threads : {1, 2, 3, 8}) {
      TableOptions other = options;
      other.threads = threads;
      TableReport other_report;
      const Table table = parse_csv(text, "t", other, &other_report, chunk);
      CHECK(same_bytes(table.values, whole.values));
      CHECK(table.columns == whole.columns);
      CHECK(other_report.dropped_after == report.dropped_after);
      CHECK(testing::complaint([&] { parse_csv(broken_text, "t.csv", other, nullptr, chunk); }) == message);
    }
}

TEST_CASE("what is written is read back to the last bit, names included") {
  RandomStream random(Seed{3}, Purpose::test);
  Table table{{"plain", "with, comma", "\"quoted\"", " spaced ", "two\nlines", "größe"}, arma::mat(300, 6)};
  for (double& value : table.values) {
    do {
      value = std::bit_cast<double>(random.bits());
    } while (!std::isfinite(value));
  }
  table.values(0, 0) = -0.0;
  for (const char delimiter : {',', '\t', ';'}) {
    const Table again = parse(format_csv(table, delimiter), {.delimiter = delimiter});
    CHECK(same_bytes(again.values, table.values));
    CHECK(again.columns == table.columns);
  }
}

TEST_CASE("a name that begins like a byte-order mark stays whole") {
  const Table table{{"\uFEFFa"}, arma::mat(1, 1, arma::fill::ones)};
  CHECK(parse(format_csv(table)).columns == table.columns);
}

TEST_CASE("numbers are written in the fewest digits, and what is not finite by name") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  CHECK(format_csv({{"a", "b,c"}, arma::mat{{0.1, 1e22}, {-5, 1.0 / 3}}}) ==
        "a,\"b,c\"\n0.1,1e+22\n-5,0.3333333333333333\n");
  CHECK(format_csv({{}, arma::mat{{nan, -inf, inf, -nan}}}, '\t') == "nan\t-inf\tinf\tnan\n");
  CHECK(testing::complaint([] {
          format_csv({{"a"}, arma::mat{{1, 2}}});
        }) == "usage: a table of 2 columns has 1 names; give none or one per column");
}

TEST_CASE("a locale with decimal commas and grouping changes nothing") {
  struct German : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale former = std::locale::global(std::locale(std::locale::classic(), new German));
  const Table table = parse("1234.5,2\n");
  const std::string text = format_csv(table);
  std::string long_text;
  for (int i = 0; i < 2000; ++i) long_text += "1,2\n";
  const std::string message = csv_complaint(long_text + "\n1,2\n");
  std::locale::global(former);
  CHECK(table.values(0, 0) == 1234.5);
  CHECK(text == "1234.5,2\n");
  CHECK(message == "data: t.csv: line 2001: the line is blank; remove it, or drop such lines");
}

TEST_CASE("ten thousand columns") {
  std::string text;
  for (int row = 0; row < 3; ++row)
    for (int c = 0; c < 10'000; ++c) text += std::to_string(row * c) + (c + 1 < 10'000 ? "," : "\n");
  const Table table = parse(text, {.columns = "9999,5"});
  CHECK(same_bytes(table.values, arma::mat{{0, 0}, {9999, 5}, {19998, 10}}));
}
