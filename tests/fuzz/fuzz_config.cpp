// Configuration files: whatever they hold, an option's value has its kind, or the file is refused as a mistake of usage
// that names it. Typed options win.

#include <string>

#include "cli/arguments.hpp"
#include "fuzz/target.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::testing;

/// One option of every kind, beside those that every command has.
Command command() {
  return {.name = "try",
          .groups = {{"Kinds",
                      {{"flag", OptionKind::flag, ""},
                       {"count", OptionKind::count, "", "N", "3", 'c'},
                       {"number", OptionKind::number, "", "X", "0.5"},
                       {"text", OptionKind::text, "", "TEXT"},
                       {"file", OptionKind::file, "", "FILE"},
                       {"choice", OptionKind::choice, "", "WORD", "one", 0, {"one", "two", "three"}}}}}};
}

void check(const Arguments& arguments) {
  const std::string& choice = arguments.text("choice");
  if (choice != "one" && choice != "two" && choice != "three") broken("a choice is one of its words");
  if (!arguments.given("number") && arguments.number("number") != 0.5) broken("what is not given has its default");
  if (arguments.number("number") != arguments.number("number")) broken("a number is finite");
  if (arguments.count("count") != 7) broken("what is typed wins");
  if (arguments.words() != 0) broken("a configuration adds no words");
  arguments.flag("flag");
  arguments.seed();
  arguments.threads();
}

}  // namespace

std::vector<Bytes> gaussianize::testing::seeds() {
  std::vector<Bytes> all;
  for (const std::string_view text : {
           "flag=true\ncount=12\nnumber=-1e-3\ntext=some words\nfile=a.csv\nchoice=two\n",
           "# a remark\n\nseed = 1e4 # another\r\nthreads=2\nquiet=yes\n",
           "[section]\ncount=1\n[]\ncount=2\n",
           "colour=red\n",
           "choice=tow\nnumber=nan\ncount=-1\n",
           "count\n=\n==\nflag=\nflag=no\nflag=perhaps\n",
           "config=another\nmissing=drop\ndelimiter==\nmax-rows=18446744073709551616\n",
           "text=\xEF\xBB\xBF\xFF\ntext=again\n",
           "help=on\ncolumns=a,b,3-7\n*=1\ncou*=1\n",
       })
    all.push_back(bytes_of(text));
  all.push_back(bytes_of(std::string("count=1\0x\n", 10)));
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Command table = command();
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    check(Arguments(table, {"--config", "name", "-c", "7"}, [&](const std::string&) { return text; }));
  } catch (const UsageError& error) {
    if (std::string_view(error.what()).rfind("try: ", 0) != 0) broken("a message begins with the command's name");
  }
  return 0;
}
