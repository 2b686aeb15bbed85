#include "report/page.hpp"

#include <algorithm>

#include "gaussianize/core/detail/require.hpp"

#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

constexpr std::string_view style = R"css(
:root {
  color-scheme: light dark;
  --ink: #1c2128; --soft: #59636e; --line: #d9dee4; --paper: #fff; --panel: #f6f8fa; --accent: #1f6fa8;
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e3e6ea; --soft: #9aa4af; --line: #30363d; --paper: #14181d; --panel: #1b2027; --accent: #6cb4e8; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; color: var(--ink); background: var(--paper);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
.sheet { max-width: 66rem; margin: 0 auto; padding: 2.5rem clamp(1rem, 4vw, 2.5rem) 4rem; }
h1, h2 { line-height: 1.2; text-wrap: balance; overflow-wrap: anywhere; }
h1 { font-size: clamp(1.5rem, 1.1rem + 2vw, 2.1rem); margin: 0 0 1rem; letter-spacing: -0.01em; }
h2 { font-size: 1.3rem; margin: 3rem 0 .9rem; padding-top: 1.1rem; border-top: 1px solid var(--line); }
p { max-width: 44rem; margin: .7rem 0; overflow-wrap: anywhere; }
.intro p:first-child { font-size: 1.1rem; }
nav { margin: 1.6rem 0 0; padding: .9rem 1.1rem; background: var(--panel); border-radius: .5rem; }
nav p { margin: 0 0 .3rem; font-size: .8rem; color: var(--soft); }
nav ul { margin: 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .3rem 1.3rem; }
a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: 1px; }
.scroll { overflow-x: auto; margin: .3rem 0 1.1rem; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums lining-nums; }
.caption { margin: 1.4rem 0 .3rem; color: var(--soft); font-size: .88rem; }
th, td { padding: .42rem .9rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { padding-left: .2rem; }
th:last-child, td:last-child { padding-right: .2rem; }
thead th { color: var(--soft); font-weight: 600; font-size: .84rem; vertical-align: bottom; white-space: normal; }
thead th { border-bottom: 1.5px solid var(--soft); min-width: 4.5rem; }
tbody th { font-weight: 600; }
.word { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 6rem; max-width: 28rem; }
th.word { overflow-wrap: break-word; }
figure { margin: 1.6rem 0; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17.5rem), 1fr)); gap: 1rem 1.4rem; }
.pictures.four { grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); }
.pictures.wide { display: block; overflow-x: auto; max-width: none; }
.pictures.wide img { min-width: 34rem; }
img { display: block; width: 100%; height: auto; }
figcaption { max-width: 44rem; margin-top: .6rem; color: var(--soft); font-size: .9rem; line-height: 1.45; }
.missing { padding: 1rem 1.2rem; border: 1px dashed var(--soft); border-radius: .5rem; color: var(--soft); }
details { margin: 1rem 0; }
summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line); color: var(--soft); font-size: .85rem; }
@media (max-width: 34rem) {
  table { font-size: .84rem; }
  th, td { padding: .38rem .5rem; }
  thead th { min-width: 3rem; }
  .word { min-width: 4.5rem; }
}
@media print {
  :root { --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --panel: #fff; --accent: #000; }
  body { font-size: 10pt; }
  .sheet { max-width: none; padding: 0; }
  nav { display: none; }
  figure, table { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll, .pictures.wide { overflow: visible; }
  .pictures.wide img { min-width: 0; }
}
)css";

class Writer {
 public:
  explicit Writer(const Draw& draw) : draw_(draw) {}

  void page(const Page& page) {
    add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>", escaped(page.title), "</title>\n", "<style>",
        style, "</style>\n</head>\n<body>\n<div class=\"sheet\">\n<header class=\"intro\">\n<h1>", escaped(page.title),
        "</h1>\n<div>\n");
    paragraphs(page.intro);
    add("</div>\n</header>\n");
    if (page.sections.size() >= 3) contents(page.sections);
    add("<main>\n");
    for (std::size_t i = 0; i < page.sections.size(); ++i) section(page.sections[i], i + 1);
    add("</main>\n");
    if (!page.footer.empty()) add("<footer>", escaped(page.footer), "</footer>\n");
    add("</div>\n</body>\n</html>\n");
  }

  RenderedPage take() && { return {std::move(html_), std::move(problems_)}; }

 private:
  template <class... Parts>
  void add(const Parts&... parts) {
    append_all(html_, parts...);
  }

  void contents(const std::vector<Section>& sections) {
    add("<nav aria-label=\"Contents\">\n<p>On this page</p>\n<ul>\n");
    for (std::size_t i = 0; i < sections.size(); ++i)
      add("<li><a href=\"#section-", std::to_string(i + 1), "\">", escaped(sections[i].heading), "</a></li>\n");
    add("</ul>\n</nav>\n");
  }

  void section(const Section& section, std::size_t number) {
    add("<section id=\"section-", std::to_string(number), "\">\n<h2>", escaped(section.heading), "</h2>\n");
    paragraphs(section.paragraphs);
    for (const Table& t : section.tables) table(t);
    for (const Figure& f : section.figures) figure(f);
    for (const Details& d : section.details) details(d);
    add("</section>\n");
  }

  void paragraphs(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) add("<p>", escaped(text), "</p>\n");
  }

  void row(const std::vector<std::string>& cells, std::size_t text_columns, bool header) {
    add("<tr>");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string tag = header || i == 0 ? "th" : "td";
      const std::string scope = header ? " scope=\"col\"" : i == 0 ? " scope=\"row\"" : "";
      add("<", tag, scope, i < text_columns ? " class=\"word\">" : ">", escaped(cells[i]), "</", tag, ">");
    }
    add("</tr>\n");
  }

  void table(const Table& table) {
    for (const auto& cells : table.rows)
      require(table.header.empty() || cells.size() == table.header.size(), "a table's row has ", cells.size(),
              " cells under ", table.header.size(), " headings");
    // Outside the box that scrolls, or a narrow screen would cut it; the box carries it as its name.
    if (!table.caption.empty()) add("<p class=\"caption\" aria-hidden=\"true\">", escaped(table.caption), "</p>\n");
    // Reachable by the keyboard, or what has scrolled away could not be read without a mouse.
    add("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"",
        escaped(table.caption.empty() ? "Table" : table.caption), "\">\n<table>\n");
    if (!table.header.empty()) {
      add("<thead>");
      row(table.header, table.text_columns, true);
      add("</thead>\n");
    }
    add("<tbody>\n");
    for (const auto& cells : table.rows) row(cells, table.text_columns, false);
    add("</tbody>\n</table>\n</div>\n");
  }

  void figure(const Figure& figure) {
    const char* kind = figure.wide ? " wide\" role=\"region\" tabindex=\"0\" aria-label=\"Wide picture"
                       : figure.pictures.size() == 4 ? " four"
                                                     : "";
    add("<figure>\n<div class=\"pictures", kind, "\">\n");
    for (const Picture& p : figure.pictures) picture(p);
    add("</div>\n");
    if (!figure.caption.empty()) add("<figcaption>", escaped(figure.caption), "</figcaption>\n");
    add("</figure>\n");
  }

  void picture(const Picture& picture) {
    const Drawing drawing = draw_(picture);
    if (drawing.bytes.empty()) {
      add("<p class=\"missing\">Not drawn: ", escaped(picture.description), ". ", escaped(drawing.problem), ".</p>\n");
      if (std::find(problems_.begin(), problems_.end(), drawing.problem) == problems_.end())
        problems_.push_back(drawing.problem);
      return;
    }
    // Beyond 1.2 times its size, a small picture would have larger letters than the page.
    add("<img alt=\"", escaped(picture.description), "\" width=\"", std::to_string(picture.width), "\" height=\"",
        std::to_string(picture.height), "\" style=\"max-width:", std::to_string(picture.width * 6 / 5), "px\" src=\"",
        data_url(drawing.bytes), "\">\n");
  }

  void details(const Details& details) {
    add("<details>\n<summary>", escaped(details.summary), "</summary>\n");
    paragraphs(details.paragraphs);
    for (const Table& t : details.tables) table(t);
    add("</details>\n");
  }

  const Draw& draw_;
  std::string html_;
  std::vector<std::string> problems_;
};

}  // namespace

Drawing draw_svg(const Picture& picture) {
  return draw(picture, PictureFormat::svg);
}

RenderedPage render(const Page& page, const Draw& draw) {
  Writer writer(draw);
  writer.page(page);
  return std::move(writer).take();
}

}  // namespace gaussianize::report
