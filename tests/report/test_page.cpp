#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"

#include "io/temporary_folder.hpp"
#include "report/markup.hpp"
#include "report/page.hpp"
#include "support/messages.hpp"

using namespace gaussianize;
using gaussianize::testing::count;
using namespace gaussianize::report;
using gaussianize::report::testing::markup_fault;
using gaussianize::testing::contains;

namespace {

const Draw no_drawing = [](const Picture&) { return Drawing{.problem = "no <pen>"}; };
const Draw tiny_drawing = [](const Picture&) { return Drawing{.bytes = "<svg id=\"a\"/>"}; };

Page full_page() {
  const std::string nasty = "<img src=x onerror=alert(1)> & \"q\" 'r'";
  const Picture picture{.script = "plot x\n", .description = nasty};
  Section section{.heading = nasty,
                  .paragraphs = {nasty},
                  .tables = {{.caption = nasty, .header = {"a", nasty}, .rows = {{nasty, "1"}}}},
                  .figures = {{.pictures = {picture, picture}, .caption = nasty},
                              {.pictures = {picture}, .caption = nasty, .wide = true}},
                  .details = {{.summary = nasty, .paragraphs = {nasty}, .tables = {{.rows = {{nasty}}}}}}};
  return {.title = nasty, .intro = {nasty}, .sections = {section, section, section}, .footer = nasty};
}

}  // namespace

TEST_CASE("the checker of markup finds planted mistakes") {
  CHECK(markup_fault("<p><b>x</b></p>").empty());
  CHECK(markup_fault("<p><b>x</p></b>") == "</p> closes something else");
  CHECK(markup_fault("<p>") == "<p> is not closed");
  CHECK(markup_fault("<p a=b></p>") == "p: no quotes");
  CHECK(markup_fault("<p id=\"a\"></p><p id=\"a\"></p>") == "the id a twice");
  CHECK(markup_fault("<a href=\"#b\"></a>") == "a link to b, which is not there");
  CHECK(markup_fault("<a href=\"http://x\"></a>") == "fetches http://x");
  CHECK(markup_fault("<p style=\"background:url(x)\"></p>") == "fetches background:url(x)");
  CHECK(markup_fault("<style>@import 'x';</style>") == "a style that fetches");
  CHECK(markup_fault("<p onclick=\"x\"></p>") == "the script onclick");
  CHECK(markup_fault("<script></script>") == "<script>");
}

TEST_CASE("a page is well formed, loads nothing, and escapes all text") {
  for (const Draw& draw : {no_drawing, tiny_drawing}) {
    const RenderedPage page = render(full_page(), draw);
    CHECK(markup_fault(page.html) == "");
    CHECK(page.html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    CHECK_FALSE(contains(page.html, "<img src=x"));
    CHECK(contains(page.html, "name=\"viewport\""));
  }
}

TEST_CASE("pictures are images within the page, with an alternative text and a size") {
  const RenderedPage page = render(full_page(), tiny_drawing);
  CHECK(page.problems.empty());
  CHECK(count(page.html, "<img alt=\"&lt;img src=x") == 9);
  CHECK(count(page.html, "width=\"720\" height=\"420\" style=\"max-width:864px\"") == 9);
  CHECK(count(page.html, "src=\"data:image/svg+xml,%3Csvg%20id=%22a%22/%3E\"") == 9);
}

TEST_CASE("where pictures cannot be drawn the page says so once a picture, and the caller once") {
  const RenderedPage page = render(full_page(), no_drawing);
  CHECK(page.problems == std::vector<std::string>{"no <pen>"});
  CHECK(count(page.html, "class=\"missing\"") == 9);
  CHECK(contains(page.html, "no &lt;pen&gt;"));
  CHECK(count(page.html, "<table>") == 6);
}

TEST_CASE("short pages have no table of contents") {
  Page page = full_page();
  CHECK(contains(render(page, no_drawing).html, "<nav"));
  page.sections.resize(2);
  CHECK_FALSE(contains(render(page, no_drawing).html, "<nav"));
}

TEST_CASE("a row that does not fit its header is a mistake") {
  const Page page{.sections = {{.tables = {{.header = {"a", "b"}, .rows = {{"1"}}}}}}};
  CHECK_THROWS_AS(render(page, no_drawing), std::invalid_argument);
}
