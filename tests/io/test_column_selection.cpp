#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/io/column_selection.hpp"

#include "io/table_checks.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using gaussianize::testing::complaint;

namespace {

const std::vector<std::string> names{"height", "weight", "1", "age, years", "x\"y", "2-3", "weight 2"};
using Columns = std::vector<std::size_t>;

Columns pick(std::string_view list) {
  return select_columns(list, names, names.size(), "t.csv");
}

std::string refused(std::string_view list) {
  return complaint([&] { pick(list); });
}

}  // namespace

TEST_CASE("columns are picked by name, index and range, in the order asked for") {
  CHECK(pick("") == Columns{0, 1, 2, 3, 4, 5, 6});
  CHECK(pick("  ") == Columns{0, 1, 2, 3, 4, 5, 6});
  CHECK(pick("weight,height") == Columns{1, 0});
  CHECK(pick(" 4 , 0 - 1, weight 2 ") == Columns{4, 0, 1, 6});
  CHECK(pick("5-5") == Columns{5});
  CHECK(select_columns("3,0-1", {}, 4, "t.npy") == Columns{3, 0, 1});
}

TEST_CASE("a name wins over a number, and quotes make a name of anything") {
  CHECK(pick("1") == Columns{2});
  CHECK(pick("2-3") == Columns{5});
  CHECK(pick("3-4") == Columns{3, 4});
  CHECK(pick("\"age, years\",\"x\"\"y\"") == Columns{3, 4});
  CHECK(refused("\"3\"") ==
        "usage: t.csv: there is no column '3'; there are 'height', 'weight', '1', 'age, years', 'x\"y', "
        "'2-3', 'weight 2'");
}

TEST_CASE("what cannot be picked is refused with the fix") {
  CHECK(refused("hieght") ==
        "usage: t.csv: there is no column 'hieght'; there are 'height', 'weight', '1', 'age, years', 'x\"y', "
        "'2-3', 'weight 2'");
  CHECK(refused("7") == "usage: t.csv: there is no column 7; the table has 7 columns, counted from 0 to 6");
  CHECK(refused("0-9999999999999") ==
        "usage: t.csv: there is no column 9999999999999; the table has 7 columns, counted from 0 to 6");
  CHECK(refused("4-3") == "usage: t.csv: the range '4-3' runs backwards; write the smaller index first");
  CHECK(refused("0,height") == "usage: t.csv: 'height' picks column 0 ('height') a second time; list each column once");
  CHECK(refused("height,") == refused("height, "));
  CHECK(refused("\"height") == "usage: t.csv: the list of columns '\"height' has a quote that does not end; close it");
  CHECK(refused("\"height\" x") ==
        "usage: t.csv: the list of columns '\"height\" x' has text beside a quoted name; quote all of the name");
  CHECK(complaint([] { select_columns("height", {}, 3, "t.npy"); }) ==
        "usage: t.npy: there is no column 'height': the table has no names; pick columns by index, 0 to 2");
  CHECK(complaint([] {
          select_columns("a", {"a", "b", "a"}, 3, "t.csv");
        }) == "usage: t.csv: several columns are named 'a'; pick by index, counted from 0");
}
