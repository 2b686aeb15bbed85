#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"

#include "io/temporary_folder.hpp"
#include "report/picture.hpp"
#include "report/script.hpp"
#include "support/skip.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::report;
using gaussianize::testing::contains;
using gaussianize::testing::skipped;
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

/// A program called gnuplot that runs the script instead.
void fake_gnuplot(const TemporaryFolder& folder, const std::string& script) {
  const auto path = folder.path / "gnuplot";
  std::ofstream(path) << "#!/bin/sh\n" << script;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

const Picture line{.script = "set title 'a < b & `touch x`'\nplot x, '+' using 1:(sin($1)) with points pt 7\n",
                   .width = 300,
                   .height = 200,
                   .description = "a \"line\""};

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

TEST_CASE("a gnuplot that fails, warns, draws nothing or does not end is a problem, and leaves no files") {
  const TemporaryFolder folder;
  const Variable path("PATH", folder.path.string() + ":/usr/bin:/bin");
  const TemporaryFolder scratch;
  const Variable place("TMPDIR", scratch.path.string());
  fake_gnuplot(folder, "echo oh >&2; exit 3\n");
  CHECK(draw(line, PictureFormat::svg).problem == "gnuplot failed with code 3: oh ");
  fake_gnuplot(folder, "echo picture; echo warning >&2\n");
  CHECK(draw(line, PictureFormat::svg).problem == "gnuplot warned: warning ");
  fake_gnuplot(folder, "exit 0\n");
  CHECK(draw(line, PictureFormat::svg).problem == "gnuplot drew nothing");
  fake_gnuplot(folder, "kill -9 $$\n");
  CHECK(draw(line, PictureFormat::svg).problem == "gnuplot was ended by signal 9");
  fake_gnuplot(folder, "exec sleep 100\n");
  CHECK(draw(line, PictureFormat::svg, 0.2).problem == "gnuplot did not finish in 0.2 seconds");
  fake_gnuplot(folder, "cat \"$2\"\n");
  CHECK(contains(draw(line, PictureFormat::svg).bytes, "plot x"));
  CHECK(scratch.entries() == 0);
}

TEST_CASE("gnuplot draws the same bytes every time, in both formats") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  const Drawing svg = draw(line, PictureFormat::svg), png = draw(line, PictureFormat::png);
  CHECK(svg.problem.empty());
  CHECK(png.problem.empty());
  CHECK(contains(svg.bytes, "<svg"));
  CHECK(png.bytes.starts_with("\x89PNG"));
  CHECK(draw(line, PictureFormat::svg).bytes == svg.bytes);
}

TEST_CASE("a script that gnuplot does not understand is a problem with gnuplot's message") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  CHECK(contains(draw({.script = "plott x\n"}, PictureFormat::svg).problem, "invalid command"));
}

TEST_CASE("an SVG has its description, and the colour of text where gnuplot has black") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  const std::string svg = draw(line, PictureFormat::svg).bytes;
  CHECK(contains(svg, "<svg role=\"img\" aria-label=\"a &quot;line&quot;\""));
  CHECK(contains(svg, "a &lt; b &amp; `touch x`"));
  CHECK(contains(svg, "prefers-color-scheme:dark"));
  // All three ways in which gnuplot writes black have a rule.
  for (const char* rule : {"[color=black]", "[stroke=black]", "[fill=black]"}) CHECK_MESSAGE(contains(svg, rule), rule);
  CHECK(contains(svg, "fill=\"black\""));
}

TEST_CASE("dots take less than half of the size of gnuplot's points, and all are drawn") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  Script script;
  script.data("points", arma::mat(1000, 2, arma::fill::randu));
  const std::string data = script.take();
  const auto svg = [&](const std::string& plot) {
    const Drawing drawing = draw({.script = data + "plot " + plot + "\n"}, PictureFormat::svg);
    CHECK(drawing.problem == "");
    return drawing.bytes;
  };
  const std::size_t lines = svg(dots("$points using 1:2", {0, 1}, 2, ink::blue)).size();
  CHECK(2 * lines < svg("$points using 1:2 with points pt 7").size());
  CHECK(lines > 20 * 1000);  // bytes a point: all are drawn
}

TEST_CASE("a data URL holds the bytes in percent encoding, without a character that ends an attribute") {
  CHECK(data_url("<g a='1' b=\"#2\">é &\n%</g>") ==
        "data:image/svg+xml,%3Cg%20a='1'%20b=%22%232%22%3E%C3%A9%20%26%0A%25%3C/g%3E");
  CHECK(data_url("") == "data:image/svg+xml,");
}

TEST_CASE("the format of a picture is that of its extension") {
  const TemporaryFolder folder;
  CHECK(picture_format("a.SVG") == PictureFormat::svg);
  CHECK(picture_format("a.b.png") == PictureFormat::png);
  CHECK_THROWS_AS(picture_format("a.pdf"), std::invalid_argument);
  CHECK_THROWS_AS(write_plot(line, folder.path / "a.pdf"), std::invalid_argument);
}

TEST_CASE("plots are written by extension, complete or not at all") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
  const TemporaryFolder folder;
  write_plot(line, folder.path / "a.svg");
  write_plot(line, folder.path / "a.png");
  CHECK(folder.entries() == 2);
  CHECK_THROWS_AS(write_plot(line, folder.path / "none" / "a.svg"), FileError);
}

TEST_CASE("a user's locale, start-up file and shell characters do not reach gnuplot") {
  if (!find_gnuplot()) return skipped("gnuplot is not installed");
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
