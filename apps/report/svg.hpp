#pragma once

#include <string>
#include <string_view>

namespace gaussianize::report {

/// Makes the SVG that gnuplot wrote fit to stand within a page:
/// - the XML prolog, background, tooltips, empty groups and unused definitions are gone;
/// - every id, and every reference to one, starts with `prefix`, so that several pictures share a page;
/// - what was black follows the page's colour (currentColor);
/// - runs of round points of one colour and size are one path (gnuplot takes a hundred bytes a point, this takes 13);
/// - role="img" and the description as its label.
/// Throws FileError if the text is not what gnuplot writes.
std::string inline_svg(std::string_view gnuplot, std::string_view prefix, std::string_view description);

/// The same as a file of its own, which brings its colours: dark on white, or light on dark where the reader's system
/// is set so.
std::string standalone_svg(std::string_view gnuplot, std::string_view description);

}  // namespace gaussianize::report
