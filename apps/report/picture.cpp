#include "report/picture.hpp"

#include <algorithm>
#include <cctype>
#include <span>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/files.hpp"

#include "report/gnuplot.hpp"
#include "report/svg.hpp"

namespace gaussianize::report {
using namespace detail;

PictureFormat picture_format(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  require(extension == ".svg" || extension == ".png", path.string(), ": a picture's name ends in .svg or .png");
  return extension == ".svg" ? PictureFormat::svg : PictureFormat::png;
}

void write_plot(const Picture& picture, const std::filesystem::path& path) {
  const PictureFormat format = picture_format(path);
  const Drawing drawing = draw(picture, format);
  if (drawing.bytes.empty()) throw FileError(path.string() + ": " + drawing.problem);
  const std::string bytes =
      format == PictureFormat::svg ? standalone_svg(drawing.bytes, picture.description) : drawing.bytes;
  write_file_atomically(path, std::as_bytes(std::span(bytes)));
}

}  // namespace gaussianize::report
