#include "report/png.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <zlib.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/files.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

const Bytef* bytes_of(const std::string& text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

std::string big_endian(std::size_t value) {
  std::string bytes(4, '\0');
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = static_cast<char>(value >> (24 - 8 * i) & 0xFF);
  return bytes;
}

/// Length, kind, content and the CRC of the last two [PNG specification, §5.3].
std::string chunk(const std::string& kind, const std::string& content) {
  const std::string body = kind + content;
  return big_endian(content.size()) + body + big_endian(crc32(0, bytes_of(body), static_cast<uInt>(body.size())));
}

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  const int status = compress2(reinterpret_cast<Bytef*>(packed.data()), &size, bytes_of(bytes),
                               static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw NumericalError(concat("zlib cannot compress a picture, code ", status));
  packed.resize(size);
  return packed;
}

}  // namespace

std::string grey_png(const std::vector<std::uint8_t>& pixels, std::size_t width, std::size_t height) {
  require(width > 0 && height > 0 && pixels.size() == width * height, "grey_png: ", pixels.size(), " pixels for ",
          width, "×", height);
  require(width < (1u << 16) && height < (1u << 16), "grey_png: ", width, "×", height, " is larger than 65535 a side");
  std::string lines;
  for (std::size_t y = 0; y < height; ++y) {
    lines += '\0';  // the filter of this line: none
    lines.append(reinterpret_cast<const char*>(pixels.data() + y * width), width);
  }
  // Eight bits of grey; deflate, the only filter method, no interlacing.
  const std::string header = big_endian(width) + big_endian(height) + std::string("\x08\0\0\0\0", 5);
  return "\x89PNG\r\n\x1A\n" + chunk("IHDR", header) + chunk("IDAT", compressed(lines)) + chunk("IEND", "");
}

std::string image_grid_png(const arma::mat& images, std::size_t side, std::size_t columns) {
  require(side > 0 && columns > 0 && images.n_rows > 0 && images.n_cols == side * side,
          "image_grid_png: ", images.n_rows, " images of ", images.n_cols, " pixels in ", columns,
          " columns; they must have ", side, "×", side, " pixels");
  const std::size_t across = std::min<std::size_t>(columns, images.n_rows);
  const std::size_t down = (images.n_rows + across - 1) / across;
  const std::size_t width = across * (side + 1) - 1, height = down * (side + 1) - 1;
  std::vector<std::uint8_t> pixels(width * height, 0);
  for (std::size_t i = 0; i < images.n_rows; ++i)
    for (std::size_t p = 0; p < side * side; ++p) {
      const double value = images(i, p);
      require(!std::isnan(value), "image_grid_png: image ", i, ", pixel ", p, " is not a number");
      const std::size_t y = i / across * (side + 1) + p / side, x = i % across * (side + 1) + p % side;
      pixels[y * width + x] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0, 1.0)));
    }
  return grey_png(pixels, width, height);
}

void write_image_grid(const arma::mat& images, std::size_t side, std::size_t columns,
                      const std::filesystem::path& path) {
  const std::string bytes = image_grid_png(images, side, columns);
  write_file_atomically(path, std::as_bytes(std::span(bytes)));
}

}  // namespace gaussianize::report
