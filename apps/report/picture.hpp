#pragma once

#include <filesystem>
#include <string>

namespace gaussianize::report {

/// A picture as gnuplot draws it. The script sets no terminal and no output, and holds its data.
struct Picture {
  std::string script;
  int width = 720, height = 420;  ///< pixels; an SVG scales
  std::string description;        ///< what is to be seen, for those who cannot see it
};

enum class PictureFormat { svg, png };

/// By the extension, any case. Throws std::invalid_argument for another than .svg and .png: call it before the work.
PictureFormat picture_format(const std::filesystem::path& path);

/// Draws into a file, SVG or PNG by the extension of `path`, whole or not at all. Throws
/// std::invalid_argument for another extension, FileError if the file cannot be written, and FileError that names the
/// package to install if gnuplot is missing, or gives its words if it fails.
void write_plot(const Picture& picture, const std::filesystem::path& path);

}  // namespace gaussianize::report
