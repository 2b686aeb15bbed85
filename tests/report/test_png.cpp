#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <zlib.h>

#include "io/temporary_folder.hpp"
#include "report/png.hpp"

using namespace gaussianize::report;

namespace {

struct Decoded {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

std::size_t number_at(const std::string& bytes, std::size_t at) {
  std::size_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return value;
}

/// Reads what the encoder may write, chunk by chunk, and checks every length and CRC.
Decoded decode(const std::string& png) {
  REQUIRE(png.substr(0, 8) == "\x89PNG\r\n\x1A\n");
  Decoded image;
  std::string packed, last;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = number_at(png, at);
    const std::string body = png.substr(at + 4, 4 + length);
    const auto crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    CHECK(number_at(png, at + 8 + length) == crc);
    last = body.substr(0, 4);
    if (last == "IHDR") {
      image.width = number_at(body, 4);
      image.height = number_at(body, 8);
      CHECK(body.substr(12) == std::string("\x08\0\0\0\0", 5));
    }
    if (last == "IDAT") packed += body.substr(4);
    at += 12 + length;
  }
  CHECK(last == "IEND");
  std::vector<Bytef> lines(image.height * (image.width + 1));
  uLongf size = lines.size();
  REQUIRE(uncompress(lines.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
  REQUIRE(size == lines.size());
  for (std::size_t y = 0; y < image.height; ++y) {
    const Bytef* row = lines.data() + y * (image.width + 1);
    CHECK(row[0] == 0);
    image.pixels.insert(image.pixels.end(), row + 1, row + 1 + image.width);
  }
  return image;
}

}  // namespace

TEST_CASE("a grey PNG decodes to its pixels") {
  std::vector<std::uint8_t> pixels(7 * 300);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i * 37 % 256);
  const Decoded image = decode(grey_png(pixels, 7, 300));
  CHECK(image.width == 7);
  CHECK(image.height == 300);
  CHECK(image.pixels == pixels);
  CHECK_THROWS_AS(grey_png(pixels, 8, 300), std::invalid_argument);
  CHECK_THROWS_AS(grey_png({}, 0, 0), std::invalid_argument);
}

TEST_CASE("images stand in a grid, row by row, with a black line between") {
  // Three 2×2 images in two columns: a 5×5 picture.
  const arma::mat images{{0.0, 0.2, 0.4, 1.0}, {1.0, 1.0, 1.0, 1.0}, {-3.0, 0.5, 7.0, 0.0}};
  const Decoded image = decode(image_grid_png(images, 2, 2));
  CHECK(image.width == 5);
  CHECK(image.height == 5);
  const std::vector<std::uint8_t> expected{0,   51,  0, 255, 255,  //
                                           102, 255, 0, 255, 255,  //
                                           0,   0,   0, 0,   0,    //
                                           0,   128, 0, 0,   0,    //
                                           255, 0,   0, 0,   0};
  CHECK(image.pixels == expected);
}

TEST_CASE("a grid refuses images of another size, none at all, and values that are no numbers") {
  CHECK_THROWS_AS(image_grid_png(arma::mat(1, 5), 2, 2), std::invalid_argument);
  CHECK_THROWS_AS(image_grid_png(arma::mat(0, 4), 2, 2), std::invalid_argument);
  CHECK_THROWS_AS(image_grid_png(arma::mat(1, 4), 2, 0), std::invalid_argument);
  CHECK_THROWS_AS(image_grid_png(arma::mat(1, 4, arma::fill::value(arma::datum::nan)), 2, 1), std::invalid_argument);
}

TEST_CASE("a grid is written whole") {
  const gaussianize::testing::TemporaryFolder folder;
  write_image_grid(arma::mat(1, 4, arma::fill::ones), 2, 1, folder.path / "grid.png");
  CHECK(folder.entries() == 1);
}
