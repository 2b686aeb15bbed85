#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/core/execution.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/flow.hpp"

#include "report/picture.hpp"
#include "report/script.hpp"

namespace gaussianize::report {

/// Pictures of rows: points, densities, scatter matrices, images. Each depends on its arguments alone; large data are
/// thinned, so that none is larger than about 800 kB in a page.

/// At most `max_rows` rows of x, in their order: a sample drawn without replacement from the stream of `seed`.
arma::mat thinned(const arma::mat& x, std::size_t max_rows, Seed seed);

/// Two columns of points, at most 3000 of them.
struct PointsPanel {
  std::string title;
  arma::mat points;  ///< N×2
  std::string x_label, y_label;
  Range x, y;
  std::string_view colour = ink::blue;
};
Picture points_picture(const PointsPanel& panel, Seed seed);

/// The density of a two-dimensional flow on a grid of the rectangle x × y.
struct DensityGrid {
  Range x, y;
  arma::mat density;  ///< entry (i, j) at the i-th x and the j-th y, both evenly spaced with the ends included
};
DensityGrid density_grid(const Flow& flow, const Range& x, const Range& y, std::size_t side,
                         const Execution& execution = {});

/// The density in colours, with points over it. The colours range from 0 to `top`; larger densities have the last one.
Picture density_picture(const DensityGrid& grid, double top, const PointsPanel& panel, Seed seed);

/// Rows of two sets of the same columns against each other: the first below the diagonal, the second above, the
/// histograms of both on it. Axes span the central 99 % of the first. Columns beyond the sixth of `order` are left out.
struct ScatterMatrix {
  arma::mat first, second;  ///< N×D each; an empty second leaves the upper half empty
  std::string first_name, second_name;
  std::vector<std::string> columns;
  std::vector<std::size_t> order;  ///< the columns shown, the most important first; empty: as they come
  std::string_view first_colour = ink::grey, second_colour = ink::vermilion;
};
Picture scatter_matrix_picture(const ScatterMatrix& input, Seed seed);

/// Grey images in a grid, filled row by row with a black line between them: row i of `images` is one image of
/// side × side pixels in rows, from 0 (black) to 1 (white); values outside [0, 1] are shown as the nearer end. Throws
/// std::invalid_argument unless there are side² columns and at least one image, and `columns` > 0.
Picture image_grid_picture(const arma::mat& images, std::size_t side, std::size_t columns);

}  // namespace gaussianize::report
