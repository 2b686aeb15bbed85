#include <locale>
#include <string>
#include <type_traits>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;

namespace {

/// Counts how often it is written.
struct Counted {
  int* count;
};
std::ostream& operator<<(std::ostream& out, const Counted& c) {
  ++*c.count;
  return out << "counted";
}

struct Grouping : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

std::string message_of(const std::exception& error) {
  return error.what();
}

}  // namespace

TEST_CASE("concat joins text and numbers") {
  CHECK(concat("expected ", 3, " columns, not ", std::size_t{12}, '.') == "expected 3 columns, not 12.");
  CHECK(concat(0.25, ' ', -1e-17, ' ', std::string("x")) == "0.25 -1e-17 x");
}

TEST_CASE("concat does not follow the program's locale") {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Grouping));
  const std::string text = concat(1234567, ' ', 0.5);
  std::locale::global(before);
  CHECK(text == "1234567 0.5");
}

TEST_CASE("require throws invalid_argument with the joined message, and only then joins it") {
  int written = 0;
  CHECK_NOTHROW(require(true, "never ", Counted{&written}));
  CHECK(written == 0);
  try {
    require(2 < 1, "got ", 2, "; give ", Counted{&written});
    FAIL("require let a false condition pass");
  } catch (const std::invalid_argument& error) {
    CHECK(message_of(error) == "got 2; give counted");
  }
  CHECK(written == 1);
}

TEST_CASE("NumericalError ends with its location, without unknown parts") {
  CHECK(message_of(NumericalError("no root")) == "no root");
  CHECK(message_of(NumericalError("no root", {.layer = 0})) == "no root (layer 0)");
  CHECK(message_of(NumericalError("no root", {.row = 1234567})) == "no root (row 1234567)");
  CHECK(message_of(NumericalError("no root", {.dimension = 2, .row = 7})) == "no root (dimension 2, row 7)");
  CHECK(message_of(NumericalError("no root", {.layer = 3, .dimension = 2, .row = 7})) ==
        "no root (layer 3, dimension 2, row 7)");
}

TEST_CASE("NumericalError keeps its place when copied and caught by its base") {
  try {
    throw NumericalError("x", {.layer = 4, .row = 9});
  } catch (const std::runtime_error& error) {
    const auto* numerical = dynamic_cast<const NumericalError*>(&error);
    REQUIRE(numerical != nullptr);
    const NumericalError copy = *numerical;
    CHECK(copy.location().layer == 4);
    CHECK_FALSE(copy.location().dimension.has_value());
    CHECK(copy.location().row == 9);
    CHECK(message_of(copy) == "x (layer 4, row 9)");
  }
}

TEST_CASE("the kinds of error can be told apart") {
  // A handler for one must not catch another: the exit codes of the program rest on it.
  CHECK_FALSE(std::is_base_of_v<DataError, NumericalError>);
  CHECK_FALSE(std::is_base_of_v<NumericalError, DataError>);
  CHECK_FALSE(std::is_base_of_v<FileError, DataError>);
  CHECK_FALSE(std::is_base_of_v<DataError, FileError>);
  CHECK_FALSE(std::is_base_of_v<std::invalid_argument, DataError>);
  CHECK_FALSE(std::is_base_of_v<DataError, Cancelled>);
  CHECK(message_of(DataError("column 3")) == "column 3");
  CHECK(message_of(FileError("a.csv")) == "a.csv");
  CHECK(message_of(Cancelled()) == "cancelled by the caller");
}
