#include "report/row_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"

#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

constexpr std::size_t max_points = 3000;
constexpr int panel_width = 300, panel_height = 285;  // nearly square, with the labels

/// The report's own random stream: fits number their blocks from zero.
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

/// The plot command's part for the points. gnuplot warns of an empty block of data, but not of NaN.
std::string points_plot(Script& script, const PointsPanel& panel, double diameter, std::string_view colour, Seed seed) {
  if (panel.points.empty()) return "NaN";
  script.data("points", thinned(panel.points, max_points, seed));
  return dots("$points using 1:2", panel.x, diameter, colour);
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

constexpr std::size_t max_columns = 6, bins = 32;
constexpr int cell = 128, left = 62, right = 12, below = 40, above = 34, single_width = 400;

/// The smallest step of 1, 2 or 5 times a power of ten that divides the range into at most four parts.
double tic_step(const Range& range) {
  const double rough = (range.high - range.low) / 4, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

struct Layout {
  std::vector<std::size_t> shown;
  std::vector<Range> ranges;
  double width = 0.0, height = 0.0;
};

std::vector<std::size_t> shown_columns(const ScatterMatrix& input) {
  std::vector<std::size_t> shown = input.order;
  if (shown.empty()) {
    shown.resize(input.first.n_cols);
    std::iota(shown.begin(), shown.end(), 0);
  }
  shown.resize(std::min(shown.size(), max_columns));
  return shown;
}

void place(Script& script, const Layout& at, std::size_t row, std::size_t column) {
  const auto x = [&](double pixels) { return plain(pixels / at.width); };
  const auto y = [&](double pixels) { return plain(pixels / at.height); };
  const bool single = at.shown.size() == 1;
  const double x0 = left + cell * static_cast<double>(column), across = single ? single_width : cell,
               down = single ? 2.0 * cell : cell;
  const double y0 = below + cell * static_cast<double>(at.shown.size() - 1 - row);
  constexpr double gap = 3;
  script.line("set lmargin at screen ", x(x0 + gap)).line("set rmargin at screen ", x(x0 + across - gap));
  script.line("set bmargin at screen ", y(y0 + gap)).line("set tmargin at screen ", y(y0 + down - gap));
}

void axes(Script& script, const Layout& at, std::size_t row, std::size_t column) {
  script.line("set border 15 lw 0.5 lc rgb '", ink::grey, "'").line("set tics font ',10' scale 0.3");
  script.line("unset grid").line("set xrange ", range_text(at.ranges[column]));
  script.line("set xtics ", plain(tic_step(at.ranges[column])), row + 1 == at.shown.size() ? "" : " format ''");
  if (row == column) {
    script.line("unset ytics");
  } else {
    script.line("set yrange ", range_text(at.ranges[row]));
    script.line("set ytics ", plain(tic_step(at.ranges[row])), column == 0 ? "" : " format ''");
  }
}

void diagonal(Script& script, const ScatterMatrix& input, const Layout& at, std::size_t k) {
  const std::size_t column = at.shown[k];
  const arma::mat first = histogram(input.first.col(column), at.ranges[k], bins);
  double top = first.col(1).max();
  script.data("first_bins", first);
  std::string plot = concat("plot $first_bins with fillsteps fs solid 0.45 noborder lc rgb '", input.first_colour, "'");
  if (!input.second.empty()) {
    const arma::mat second = histogram(input.second.col(column), at.ranges[k], bins);
    top = std::max(top, second.col(1).max());
    script.data("second_bins", second);
    plot += concat(", $second_bins with steps lw 1.6 lc rgb '", input.second_colour, "'");
  }
  script.line("set yrange [0:", plain(top > 0 ? 1.35 * top : 1.0), "]");
  script.line("set label 1 ", quote(shortened(input.columns[column], 14)), " at graph 0.5,0.9 center font ',12'");
  script.line(plot);
}

void legend(Script& script, const ScatterMatrix& input, const Layout& at) {
  const double y = (at.height - above / 2.0) / at.height;
  script.line("set label 101 '●' at screen ", plain(left / at.width), ",", plain(y), " tc rgb '", input.first_colour,
              "'");
  script.line("set label 102 ", quote(input.first_name), " at screen ", plain((left + 14) / at.width), ",", plain(y));
  if (input.second.empty()) return;
  script.line("set label 103 '●' at screen ", plain(0.5), ",", plain(y), " tc rgb '", input.second_colour, "'");
  script.line("set label 104 ", quote(input.second_name), " at screen ", plain(0.5 + 14 / at.width), ",", plain(y));
}

void scatter_cell(Script& script, const ScatterMatrix& input, const Layout& at, std::size_t row, std::size_t column) {
  script.panel("");
  place(script, at, row, column);
  axes(script, at, row, column);
  if (row == 0 && column == 0) legend(script, input, at);
  const bool lower = row > column;
  if (row == column)
    diagonal(script, input, at, row);
  else
    script.line("plot ", dots(concat(lower ? "$first" : "$second", " using ", column + 1, ":", row + 1),
                              at.ranges[column], 1.9, lower ? input.first_colour : input.second_colour));
}

}  // namespace

arma::mat thinned(const arma::mat& x, std::size_t max_rows, Seed seed) {
  if (x.n_rows <= max_rows) return x;
  RandomStream stream(seed, Purpose::subsample, picture_block);
  const std::vector<std::size_t> rows = subsample(x.n_rows, max_rows, stream);
  return x.rows(arma::conv_to<arma::uvec>::from(rows));
}

Picture points_picture(const PointsPanel& panel, Seed seed) {
  require(panel.points.n_cols == 2, "points_picture: ", panel.points.n_cols, " columns; it draws two");
  Script script = square_panel(panel);
  script.line("plot ", points_plot(script, panel, 1.9, panel.colour, seed));
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
  const std::string points = points_plot(script, panel, 1.2, "#90ffffff", seed);
  script.line("plot $density using 1:2:3 with image, ", points);
  return {script.take(), panel_width, panel_height, panel.title};
}

Picture scatter_matrix_picture(const ScatterMatrix& input, Seed seed) {
  require(input.columns.size() == input.first.n_cols, "scatter_matrix_picture: ", input.columns.size(), " names for ",
          input.first.n_cols, " columns");
  require(input.second.empty() || input.second.n_cols == input.first.n_cols,
          "scatter_matrix_picture: ", input.second.n_cols, " columns beside ", input.first.n_cols);
  Layout at{.shown = shown_columns(input)};
  const std::size_t count = at.shown.size();
  for (const std::size_t column : at.shown) at.ranges.push_back(central_range(input.first.col(column), 0.99));
  // One column alone: the legend needs the width.
  at.width = static_cast<double>(left + right + (count == 1 ? single_width : cell * static_cast<int>(count)));
  at.height = static_cast<double>(below + above + cell * static_cast<int>(std::max<std::size_t>(count, 2)));

  // 15 000 points in all are 500 kB.
  const std::size_t points = std::clamp<std::size_t>(15000 / std::max<std::size_t>(count * (count - 1), 1), 300, 1500);
  const auto chosen = arma::conv_to<arma::uvec>::from(at.shown);
  Script script;
  script.data("first", arma::mat(thinned(input.first, points, seed).eval().cols(chosen)));
  if (!input.second.empty()) script.data("second", arma::mat(thinned(input.second, points, seed).eval().cols(chosen)));
  script.line("set multiplot");
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t column = 0; column < count; ++column)
      if (row >= column || !input.second.empty()) scatter_cell(script, input, at, row, column);
  script.line("unset multiplot");
  return {script.take(), static_cast<int>(at.width), static_cast<int>(at.height),
          count == 1 ? concat("Histogram: ", input.first_name, input.second.empty() ? "" : " and " + input.second_name)
                     : concat("Scatter matrix of ", count, " columns: ", input.first_name, " below the diagonal",
                              input.second.empty() ? "" : ", " + input.second_name + " above it")};
}

Picture image_grid_picture(const arma::mat& images, std::size_t side, std::size_t columns) {
  require(side > 0 && columns > 0 && images.n_rows > 0 && images.n_cols == side * side,
          "image_grid_picture: ", images.n_rows, " images of ", images.n_cols, " pixels in ", columns,
          " columns; they must have ", side, "×", side, " pixels");
  require(images.is_finite(), "image_grid_picture: a pixel is not a finite number");
  const std::size_t across = std::min<std::size_t>(columns, images.n_rows);
  const std::size_t down = (images.n_rows + across - 1) / across;
  arma::mat pixels(down * (side + 1) - 1, across * (side + 1) - 1, arma::fill::zeros);
  for (std::size_t i = 0; i < images.n_rows; ++i)
    for (std::size_t p = 0; p < side * side; ++p)
      pixels(i / across * (side + 1) + p / side, i % across * (side + 1) + p % side) = images(i, p);
  Script script;
  script.line("reset").line("unset border").line("unset tics").line("unset key").line("unset colorbox");
  script.line("set margins at screen 0, 1, 0, 1").line("set palette gray gamma 1").line("set cbrange [0:1]");
  // gnuplot numbers a matrix's rows upwards from the bottom.
  script.line("set autoscale fix").line("set yrange [] reverse");
  script.data("pixels", pixels).line("plot $pixels matrix with image");
  return {script.take(), static_cast<int>(pixels.n_cols), static_cast<int>(pixels.n_rows),
          concat(images.n_rows, " images of ", side, "×", side, " pixels")};
}

}  // namespace gaussianize::report
