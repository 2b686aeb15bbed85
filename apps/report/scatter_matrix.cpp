#include <algorithm>
#include <cmath>
#include <numeric>

#include "gaussianize/core/detail/require.hpp"

#include "report/pictures.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

constexpr std::size_t max_columns = 6, bins = 32;
constexpr int cell = 128, left = 62, right = 12, below = 40, above = 34, lone_width = 400;

/// A step of 1, 2 or 5 times a power of ten that cuts the range into at most four parts and a bit.
double tic_step(const Range& range) {
  const double rough = (range.high - range.low) / 4, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough) return factor * power;
  return 10 * power;
}

/// Left edge of each bin and the density in it, and a last row that closes the last bin.
arma::mat histogram(const arma::vec& values, const Range& range) {
  const double width = (range.high - range.low) / bins;
  arma::mat rows(bins + 1, 2, arma::fill::zeros);
  for (std::size_t b = 0; b <= bins; ++b) rows(b, 0) = range.low + width * static_cast<double>(b);
  for (const double v : values)
    if (v >= range.low && v < range.high)
      rows(std::min(static_cast<std::size_t>((v - range.low) / width), bins - 1), 1) += 1;
  rows.col(1) /= std::max(1.0, static_cast<double>(values.n_elem)) * width;
  rows(bins, 1) = rows(bins - 1, 1);
  return rows;
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
  const bool alone = at.shown.size() == 1;
  const double x0 = left + cell * static_cast<double>(column), across = alone ? lone_width : cell,
               down = alone ? 2.0 * cell : cell;
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
  const arma::mat first = histogram(input.first.col(column), at.ranges[k]);
  double top = first.col(1).max();
  script.data("first_bins", first);
  std::string plot = concat("plot $first_bins with fillsteps fs solid 0.45 noborder lc rgb '", input.first_colour, "'");
  if (!input.second.empty()) {
    const arma::mat second = histogram(input.second.col(column), at.ranges[k]);
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
    script.line("plot ", lower ? "$first" : "$second", " using ", column + 1, ":", row + 1,
                " with points pt 7 ps 0.2 lc rgb '", lower ? input.first_colour : input.second_colour, "'");
}

}  // namespace

Picture scatter_matrix_picture(const ScatterMatrix& input, Seed seed) {
  require(input.columns.size() == input.first.n_cols, "scatter_matrix_picture: ", input.columns.size(), " names for ",
          input.first.n_cols, " columns");
  require(input.second.empty() || input.second.n_cols == input.first.n_cols,
          "scatter_matrix_picture: ", input.second.n_cols, " columns beside ", input.first.n_cols);
  Layout at{.shown = shown_columns(input)};
  const std::size_t count = at.shown.size();
  for (const std::size_t column : at.shown) at.ranges.push_back(central_range(input.first.col(column), 0.99));
  // Where there is but one column the legend needs room.
  at.width = static_cast<double>(left + right + (count == 1 ? lone_width : cell * static_cast<int>(count)));
  at.height = static_cast<double>(below + above + cell * static_cast<int>(std::max<std::size_t>(count, 2)));

  // 15 000 points in all are 200 kB.
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

}  // namespace gaussianize::report
