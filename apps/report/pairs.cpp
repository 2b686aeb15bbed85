#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"

#include "report/pictures.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

constexpr arma::uword max_numbers = 10;

std::string tic_list(const std::vector<std::string>& columns, std::size_t step) {
  std::string list;
  for (std::size_t d = 0; d < columns.size(); d += step)
    list += (list.empty() ? "(" : ", ") + concat(quote_tic(shortened(columns[d], 12)), " ", d);
  return list + ")";
}

/// Labels of the cells: dark ones on the bright end of the palette.
void write_numbers(Script& script, const arma::mat& nats, double top) {
  for (arma::uword i = 0; i < nats.n_rows; ++i)
    for (arma::uword j = 0; j < nats.n_cols; ++j)
      if (i != j && std::isfinite(nats(i, j)))
        script.line("set label ", quote(fixed(nats(i, j), top < 0.1 ? 3 : 2)), " at ", j, ",", i,
                    " center front font ',11' tc rgb '", nats(i, j) > 0.6 * top ? "#111111" : "#ffffff", "'");
}

}  // namespace

Picture pairs_picture(const arma::mat& nats, const std::vector<std::string>& columns) {
  const arma::uword count = nats.n_rows;
  require(count >= 2 && nats.n_cols == count && columns.size() == count, "pairs_picture: ", columns.size(),
          " names for ", nats.n_rows, "×", nats.n_cols, " pairs of at least two columns");
  double top = 0.0;
  arma::mat cells(count * count, 3);
  for (arma::uword i = 0, k = 0; i < count; ++i)
    for (arma::uword j = 0; j < count; ++j, ++k) {
      const double value = i == j ? unknown : nats(i, j);
      if (std::isfinite(value)) top = std::max(top, value);
      // The palette starts at zero; an estimate below it is shown as zero and its number says the rest.
      cells.row(k) = arma::rowvec{static_cast<double>(j), static_cast<double>(i), std::max(0.0, value)};
      if (!std::isfinite(value)) cells(k, 2) = unknown;
    }
  if (top == 0.0) top = 1.0;
  const double end = static_cast<double>(count) - 0.5;
  const std::size_t step = (count + 29) / 30;
  Script script;
  script.panel("").palette();
  // An image takes every cell of the grid, the empty ones too.
  script.line("set datafile missing 'none'");
  script.line("set colorbox").line("set cblabel 'mutual information, nats' offset 0.8,0").line("set cbtics scale 0.4");
  script.line("set cbrange [0:", plain(top), "]").line("unset grid").line("set border 0").line("set tics scale 0");
  script.line("set size square")
      .line("set xrange ", range_text({-0.5, end}))
      .line("set yrange ", range_text({end, -0.5}));
  script.line("set xtics rotate by -40 left ", tic_list(columns, step)).line("set ytics ", tic_list(columns, step));
  if (count <= max_numbers) write_numbers(script, nats, top);
  script.data("pairs", cells);
  // As single cells they stay sharp and the empty ones clear; beyond, they would be too many.
  script.line("plot $pairs using 1:2:3 with image", count <= 30 ? " pixels" : "");
  const int side = std::clamp(46 * static_cast<int>(count), 260, 520);
  return {script.take(), side + 210, side + 80, "Mutual information of all pairs of columns"};
}

}  // namespace gaussianize::report
