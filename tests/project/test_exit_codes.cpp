#include <boost/program_options/errors.hpp>
#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"

#include "cli/command.hpp"
#include "cli/exit_codes.hpp"

using namespace gaussianize;

TEST_CASE("every kind of failure has its exit code") {
  CHECK(exit_code_for(UsageError("no such option")) == 2);
  CHECK(exit_code_for(std::invalid_argument("threads is -1")) == 2);
  CHECK(exit_code_for(boost::program_options::unknown_option("colour")) == 2);
  CHECK(exit_code_for(boost::program_options::required_option("output")) == 2);
  CHECK(exit_code_for(DataError("column 2 is constant")) == 3);
  CHECK(exit_code_for(FileError("cannot open")) == 4);
  CHECK(exit_code_for(NumericalError("overflow", {.layer = 3})) == 5);
  CHECK(exit_code_for(Cancelled()) == 130);
}

TEST_CASE("a failure of no known kind is 1") {
  CHECK(exit_code_for(std::runtime_error("?")) == 1);
  CHECK(exit_code_for(std::bad_alloc()) == 1);
  CHECK(exit_code_for(std::logic_error("?")) == 1);
}
