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

/// As short as gnuplot's SVG can be, with an id and a link to it.
const Draw tiny_drawing = [](const Picture&) {
  return Drawing{.bytes =
                     "<?xml?><svg viewBox=\"0 0 10 10\"><g id=\"gnuplot_canvas\"><defs><path id='gpPt1'/></defs>"
                     "<use xlink:href='#gpPt1'/></g></svg>"};
};

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

TEST_CASE("a page is well formed, fetches nothing and obeys no text it is given") {
  for (const Draw& draw : {no_drawing, tiny_drawing}) {
    const RenderedPage page = render(full_page(), draw);
    CHECK(markup_fault(page.html) == "");
    CHECK(page.html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    CHECK_FALSE(contains(page.html, "<img"));
    CHECK(contains(page.html, "name=\"viewport\""));
  }
}

TEST_CASE("pictures have ids of their own and a label") {
  const RenderedPage page = render(full_page(), tiny_drawing);
  CHECK(page.problems.empty());
  CHECK(count(page.html, "<svg role=\"img\" aria-label=\"&lt;img") == 9);
  CHECK(contains(page.html, "id=\"picture-1-gnuplot_canvas\""));
  CHECK(contains(page.html, "href=\"#picture-9-gpPt1\""));
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
