#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"

#include "io/temporary_folder.hpp"
#include "report/gnuplot.hpp"
#include "report/script.hpp"
#include "report/svg.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::report;
using gaussianize::testing::contains;
using gaussianize::testing::TemporaryFolder;

namespace {

/// A variable of the environment, set for as long as the object lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A program called gnuplot that does something else.
void pretend(const TemporaryFolder& folder, const std::string& script) {
  const auto path = folder.path / "gnuplot";
  std::ofstream(path) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

const Picture line{.script = "set title 'a < b & `touch x`'\nplot x, '+' using 1:(sin($1)) with points pt 7\n",
                   .width = 300,
                   .height = 200,
                   .description = "a \"line\""};

bool have_gnuplot() {
  if (find_gnuplot()) return true;
  MESSAGE("gnuplot is not installed: not tested");
  return false;
}

}  // namespace

TEST_CASE("a missing gnuplot is a problem that names the package") {
  const TemporaryFolder empty;
  const Variable path("PATH", empty.path.string());
  const Drawing drawing = draw(line, PictureFormat::svg);
  CHECK(drawing.bytes.empty());
  CHECK(contains(drawing.problem, "gnuplot-nox"));
  CHECK_THROWS_AS(write_plot(line, empty.path / "x.svg"), FileError);
  CHECK(empty.entries() == 0);
}

TEST_CASE("a gnuplot that fails, complains, draws nothing or hangs is a problem in words, and leaves nothing behind") {
  const TemporaryFolder folder;
  const Variable path("PATH", folder.path.string() + ":/usr/bin:/bin");
  const TemporaryFolder scratch;
  const Variable place("TMPDIR", scratch.path.string());
  pretend(folder, "echo oh >&2; exit 3\n");
  CHECK(draw(line, PictureFormat::svg).problem == "gnuplot failed with code 3: oh ");
  pretend(folder, "echo picture; echo warning >&2\n");
  CHECK(draw(line, PictureFormat::svg).problem == "gnuplot complained: warning ");
  pretend(folder, "exit 0\n");
  CHECK(draw(line, PictureFormat::svg).problem == "gnuplot drew nothing");
  pretend(folder, "kill -9 $$\n");
  CHECK(draw(line, PictureFormat::svg).problem == "gnuplot was ended by signal 9");
  pretend(folder, "exec sleep 100\n");
  CHECK(draw(line, PictureFormat::svg, 0.2).problem == "gnuplot did not finish in 0.2 seconds");
  pretend(folder, "cat \"$2\"\n");
  CHECK(contains(draw(line, PictureFormat::svg).bytes, "plot x"));
  CHECK(scratch.entries() == 0);
}

TEST_CASE("gnuplot draws the same bytes every time, in both formats") {
  if (!have_gnuplot()) return;
  const Drawing svg = draw(line, PictureFormat::svg), png = draw(line, PictureFormat::png);
  CHECK(svg.problem.empty());
  CHECK(png.problem.empty());
  CHECK(contains(svg.bytes, "<svg"));
  CHECK(png.bytes.starts_with("\x89PNG"));
  CHECK(draw(line, PictureFormat::svg).bytes == svg.bytes);
}

TEST_CASE("a script that gnuplot does not understand is a problem with gnuplot's words") {
  if (!have_gnuplot()) return;
  CHECK(contains(draw({.script = "plott x\n"}, PictureFormat::svg).problem, "invalid command"));
}

TEST_CASE("an inline SVG has its own ids, follows the page's colour and holds one path for all points") {
  if (!have_gnuplot()) return;
  const std::string svg = inline_svg(draw(line, PictureFormat::svg).bytes, "p7-", line.description);
  CHECK(svg.starts_with("<svg role=\"img\" aria-label=\"a &quot;line&quot;\""));
  CHECK(contains(svg, "a &lt; b &amp; `touch x`"));
  CHECK(contains(svg, "currentColor"));
  for (const char* gone : {"black", "<?xml", "<title", "<desc", "<use", "<defs", "http:", "id=\"gnuplot", "id='"})
    CHECK_MESSAGE(!contains(svg, gone), gone);
  CHECK(contains(svg, "id=\"p7-gnuplot_plot_1\""));
  const std::size_t points = svg.find("h0M");
  REQUIRE(points != std::string::npos);
  CHECK(svg.find("h0M", svg.find("\"/>", points)) == std::string::npos);
}

TEST_CASE("symbols that stay are found under their new ids") {
  if (!have_gnuplot()) return;
  const std::string svg =
      inline_svg(draw({.script = "plot '+' using 1:1 with points pt 4\n"}, PictureFormat::svg).bytes, "q-", "");
  CHECK(contains(svg, "id=\"q-gpPt3\""));
  CHECK(contains(svg, "href=\"#q-gpPt3\""));
}

TEST_CASE("what is not gnuplot's SVG is refused") {
  for (const char* text :
       {"", "<svg", "<svg></svg>", "<svg viewBox=\"0 0 1 1\"><g></svg>", "<svg viewBox=\"0 0 1 1\"><g a></svg>",
        "<svg viewBox=\"0 0 1 1\"><title></svg>", "<svg viewBox=\"0 0 1 1\"><use xlink:href='#gpPt6'/></svg>"})
    CHECK_THROWS_AS(inline_svg(text, "p", ""), FileError);
}

TEST_CASE("plots are written by extension, whole or not at all") {
  const TemporaryFolder folder;
  CHECK(picture_format("a.SVG") == PictureFormat::svg);
  CHECK(picture_format("a.b.png") == PictureFormat::png);
  CHECK_THROWS_AS(picture_format("a.pdf"), std::invalid_argument);
  CHECK_THROWS_AS(write_plot(line, folder.path / "a.pdf"), std::invalid_argument);
  if (!have_gnuplot()) return;
  write_plot(line, folder.path / "a.svg");
  write_plot(line, folder.path / "a.png");
  CHECK(folder.entries() == 2);
  CHECK_THROWS_AS(write_plot(line, folder.path / "none" / "a.svg"), FileError);
}

TEST_CASE("a user's locale, start-up file and shell characters do not reach gnuplot") {
  if (!have_gnuplot()) return;
  const TemporaryFolder home;
  std::ofstream(home.path / ".gnuplot") << "set title 'mine'\n";
  const std::string before = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "/";
  ::setenv("HOME", home.path.c_str(), 1);
  ::setenv("LC_NUMERIC", "de_DE.UTF-8", 1);
  const std::string trap = (home.path / "trap").string();
  const Picture picture{.script = "set format '%.1f'\nset label " +
                                  quote("`touch " + trap + "` $(touch " + trap + ")") + " at 0,0\nplot x\n"};
  const Drawing drawing = draw(picture, PictureFormat::svg);
  ::setenv("HOME", before.c_str(), 1);
  ::unsetenv("LC_NUMERIC");
  CHECK(drawing.problem.empty());
  CHECK_FALSE(contains(drawing.bytes, "mine"));
  CHECK(contains(drawing.bytes, "10.0"));
  CHECK_FALSE(std::filesystem::exists(trap));
}
