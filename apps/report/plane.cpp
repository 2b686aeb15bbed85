#include <algorithm>

#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"

#include "report/pictures.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

constexpr std::size_t max_points = 3000;
constexpr int panel_width = 300, panel_height = 285;  // nearly square, with the labels

/// Streams of a report's own, apart from the blocks that fits number from zero.
constexpr std::uint64_t picture_block = std::uint64_t{1} << 62;

Script square_panel(const PointsPanel& panel) {
  Script script;
  script.panel(panel.title);
  script.line("set size square");
  script.line("set xrange ", range_text(panel.x)).line("set yrange ", range_text(panel.y));
  script.line("set xlabel ", quote(panel.x_label), " offset 0,0.3");
  script.line("set ylabel ", quote(panel.y_label), " offset 1,0");
  script.line("set xtics autofreq").line("set ytics autofreq");
  return script;
}

/// The plot command's part for the points. Without any there is nothing that gnuplot would not complain of.
std::string points_plot(Script& script, const arma::mat& points, std::string_view style, Seed seed) {
  if (points.empty()) return "NaN";
  script.data("points", thinned(points, max_points, seed));
  return concat("$points with points pt 7 ", style);
}

/// x, y, density: the rows that gnuplot's images take.
arma::mat image_rows(const DensityGrid& grid) {
  const arma::vec x = arma::linspace(grid.x.low, grid.x.high, grid.density.n_rows);
  const arma::vec y = arma::linspace(grid.y.low, grid.y.high, grid.density.n_cols);
  arma::mat rows(grid.density.n_elem, 3);
  for (arma::uword j = 0, k = 0; j < grid.density.n_cols; ++j)
    for (arma::uword i = 0; i < grid.density.n_rows; ++i, ++k) rows.row(k) = {x(i), y(j), grid.density(i, j)};
  return rows;
}

}  // namespace

arma::mat thinned(const arma::mat& x, std::size_t most, Seed seed) {
  if (x.n_rows <= most) return x;
  RandomStream stream(seed, Purpose::subsample, picture_block);
  const std::vector<std::size_t> rows = subsample(x.n_rows, most, stream);
  return x.rows(arma::conv_to<arma::uvec>::from(rows));
}

Picture points_picture(const PointsPanel& panel, Seed seed) {
  require(panel.points.n_cols == 2, "points_picture: ", panel.points.n_cols, " columns; it draws two");
  Script script = square_panel(panel);
  const std::string points = points_plot(script, panel.points, concat("ps 0.2 lc rgb '", panel.colour, "'"), seed);
  script.line("plot ", points);
  return {script.take(), panel_width, panel_height, panel.title};
}

DensityGrid density_grid(const Flow& flow, const Range& x, const Range& y, std::size_t side,
                         const Execution& execution) {
  require(flow.dimension == 2, "density_grid: the flow has ", flow.dimension, " columns; a grid takes two");
  require(side >= 2, "density_grid: side ", side, "; at least 2 points a side");
  const arma::vec across = arma::linspace(x.low, x.high, side), up = arma::linspace(y.low, y.high, side);
  arma::mat points(side * side, 2);
  for (std::size_t j = 0; j < side; ++j) {
    points(arma::span(j * side, (j + 1) * side - 1), 0) = across;
    points(arma::span(j * side, (j + 1) * side - 1), 1).fill(up(j));
  }
  return {x, y, arma::reshape(arma::exp(log_density(flow, points, execution)), side, side)};
}

Picture density_picture(const DensityGrid& grid, double top, const PointsPanel& panel, Seed seed) {
  Script script = square_panel(panel);
  script.palette().line("set cbrange [0:", plain(top), "]");
  script.line("unset grid").line("set tics front");
  script.data("density", image_rows(grid));
  const std::string points = points_plot(script, panel.points, "ps 0.12 lc rgb '#90ffffff'", seed);
  script.line("plot $density using 1:2:3 with image, ", points);
  return {script.take(), panel_width, panel_height, panel.title};
}

}  // namespace gaussianize::report
