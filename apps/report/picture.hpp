#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gaussianize::report {

/// A picture as gnuplot draws it. The script sets no terminal and no output, and holds its data.
struct Picture {
  std::string script;
  int width = 720, height = 420;  ///< pixels; an SVG scales
  std::string description;        ///< the alternative text, for readers who cannot see the picture
};

enum class PictureFormat { svg, png };

/// The format by the extension, upper or lower case. Throws std::invalid_argument for any extension but .svg and .png:
/// call it before a long computation.
PictureFormat picture_format(const std::filesystem::path& path);

/// The bytes of the picture's file, or, where they are empty, why there are none.
struct Drawing {
  std::string bytes;
  std::string problem;
};

/// The gnuplot that the environment's PATH leads to.
std::optional<std::filesystem::path> find_gnuplot();

/// The message for a missing gnuplot; names the package.
std::string_view gnuplot_missing();

/// Runs gnuplot without a shell, the user's start-up files or the user's locale; its files are in a temporary folder
/// that is removed. A gnuplot that is missing, fails, warns or takes longer than `seconds` is a problem, never an
/// exception. An SVG is dark on white, or light on dark where the reader's system is set so, and has the description.
Drawing draw(const Picture& picture, PictureFormat format, double seconds = 120.0);

/// Draws into a file, SVG or PNG by the extension of `path`, complete or not at all. Throws std::invalid_argument for
/// another extension, and FileError if the file cannot be written or if there is no drawing; the message is then its
/// problem.
void write_plot(const Picture& picture, const std::filesystem::path& path);

/// The SVG as the address of an image, which a page can hold in place of a file, "data:image/svg+xml,…", with percent
/// encoding [RFC 3986]; it needs no further escaping in HTML.
std::string data_url(std::string_view svg);

}  // namespace gaussianize::report
