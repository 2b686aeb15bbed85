// Configuration files and command lines: whatever they hold, an option's value has its kind, or they are refused as a
// mistake of usage, in a message of readable length. Typed options win.

#include <sstream>
#include <string>

#include "cli/arguments.hpp"
#include "fuzz/target.hpp"
#include "support/bytes.hpp"

namespace {

using namespace gaussianize;
using namespace gaussianize::detail;
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

void check_kinds(const Arguments& arguments) {
  const std::string& choice = arguments.text("choice");
  if (choice != "one" && choice != "two" && choice != "three") broken("a choice is one of its words");
  if (!arguments.given("number") && arguments.number("number") != 0.5) broken("what is not given has its default");
  if (arguments.number("number") != arguments.number("number")) broken("a number is finite");
  arguments.flag("flag");
  arguments.count("count");
  arguments.seed();
  arguments.threads();
}

void check_configuration(const Command& command, const std::string& text) {
  const Arguments arguments(command, {"--config", "name", "-c", "7"}, [&](const std::string&) { return text; });
  check_kinds(arguments);
  if (arguments.count("count") != 7) broken("what is typed wins");
  if (arguments.positionals() != 0) broken("a configuration adds no positional arguments");
}

/// Every line of the text is a word of the command line.
void check_command_line(const Command& command, const std::string& text) {
  std::vector<std::string> words;
  std::istringstream lines(text);
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  check_kinds(Arguments(command, words, [](const std::string&) { return "count=5\n"; }));
}

template <class Check>
void refused_or(Check check, const std::string& text) {
  static const Command table = command();
  try {
    check(table, text);
  } catch (const UsageError& error) {
    const std::string_view message = error.what();
    if (message.rfind("try: ", 0) != 0) broken("a message begins with the command's name");
    if (message.size() > 1000) broken("a message can be read");
  }
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
           "flag=%value%\n",
           "[%invalid_line%\n%invalid_line%\n",
           "-c\n7\n--number=0.25\n--choice\ntwo\n--flag\n",
           "--flag=%value%\n--%canonical_option%\n-%option%\n",
           "--%option%=\n",
           "--\n--count\nword\n--config\nname\n-c7\n-c=8\n--cou\n",
       })
    all.push_back(bytes_of(text));
  all.push_back(bytes_of(std::string("count=1\0x\n", 10)));
  return all;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  // One way of reading a run, so that runs are many; the size, which mutations change all the time, chooses it.
  refused_or(size % 2 == 0 ? check_configuration : check_command_line, text);
  return 0;
}
