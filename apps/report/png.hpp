#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <armadillo>

namespace gaussianize::report {

/// An 8-bit grey picture as PNG. `pixels` holds the rows one after the other, height × width bytes.
std::string grey_png(const std::vector<std::uint8_t>& pixels, std::size_t width, std::size_t height);

/// Images in a grid, filled row by row with a black line between them: row i of `images` is one image of side × side
/// pixels in rows, from 0 (black) to 1 (white). Values outside [0, 1] are shown as the nearer end. Throws
/// std::invalid_argument unless there are side² columns and at least one image, and `columns` > 0.
std::string image_grid_png(const arma::mat& images, std::size_t side, std::size_t columns);

/// The same into a file, whole or not at all. Throws FileError.
void write_image_grid(const arma::mat& images, std::size_t side, std::size_t columns,
                      const std::filesystem::path& path);

}  // namespace gaussianize::report
