#include "report/page.hpp"

#include <algorithm>

#include "gaussianize/core/detail/require.hpp"

#include "report/style.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

class Writer {
 public:
  explicit Writer(const Draw& draw) : draw_(draw) {}

  void page(const Page& page) {
    add("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>", escaped(page.title), "</title>\n", "<style>",
        page_style(), "</style>\n</head>\n<body>\n<div class=\"sheet\">\n<header class=\"intro\">\n<h1>",
        escaped(page.title), "</h1>\n<div>\n");
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
    add(inline_svg(drawing.bytes, concat("picture-", ++pictures_, "-"), picture.description));
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
  std::size_t pictures_ = 0;
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
