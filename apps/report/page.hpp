#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "report/picture.hpp"

namespace gaussianize::report {

/// Rows of text. All but the first `text_columns` columns are numbers, which are set flush right.
struct Table {
  std::string caption;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::size_t text_columns = 1;
};

/// Pictures under one caption, side by side where there is room and below each other where there is not.
struct Figure {
  std::vector<Picture> pictures;
  std::string caption;
  bool wide = false;  ///< too detailed for a phone's width: scrolls in its own box instead of shrinking
};

/// Folded away until the reader opens it.
struct Details {
  std::string summary;
  std::vector<std::string> paragraphs;
  std::vector<Table> tables;
};

struct Section {
  std::string heading;
  std::vector<std::string> paragraphs;
  std::vector<Table> tables;
  std::vector<Figure> figures;
  std::vector<Details> details;
};

/// All strings are plain text: HTML in them is escaped.
struct Page {
  std::string title;
  std::vector<std::string> intro;
  std::vector<Section> sections;
  std::string footer;
};

/// Draws a picture as SVG: with gnuplot, except in tests.
using Draw = std::function<Drawing(const Picture&)>;
Drawing draw_svg(const Picture& picture);

/// The page, and what could not be drawn, each problem once.
struct RenderedPage {
  std::string html;
  std::vector<std::string> problems;
};

/// One self-contained HTML file: no network, no script. Light or dark as the reader's system is; readable from 360
/// pixels of width, where tables and wide figures scroll in their own boxes; prints. Three sections or more get a table
/// of contents. Where a picture cannot be drawn, the reason stands in its place.
RenderedPage render(const Page& page, const Draw& draw = draw_svg);

}  // namespace gaussianize::report
