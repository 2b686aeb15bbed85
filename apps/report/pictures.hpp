#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/core/execution.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/flow.hpp"

#include "report/picture.hpp"
#include "report/report.hpp"
#include "report/script.hpp"

namespace gaussianize::report {
using namespace detail;

/// The pictures of a report. Each depends on its arguments alone; large data are thinned, so that none is larger than
/// about 300 kB as SVG.

/// At most `most` rows of x, in their order: a sample drawn without replacement from the stream of `seed`.
arma::mat thinned(const arma::mat& x, std::size_t most, Seed seed);

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

/// The density in colours, from 0 to `top` and more, with points over it.
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

/// Training and validation NLL against steps, and the step that was kept. The first steps may leave the picture: the
/// vertical axis is that of the rest.
Picture curve_picture(const Curve& curve, std::string_view title, std::string_view colour);

/// J_m and, stacked on it, I before the first and after every layer, with error bars of two standard errors.
/// `top` is the upper end of the vertical axis, for pictures that are to be compared.
Picture trace_picture(const LayerTrace& trace, std::string_view title, double top);
double trace_top(const LayerTrace& trace);

/// Quantiles of every column of z (at most twelve columns) against those of N(0, 1), over the band in which 95 % of
/// such quantiles lie if the column is normal.
Picture quantile_picture(const arma::mat& z, const std::vector<std::string>& columns, std::string_view title);

/// Histograms of log densities, those the tail probabilities are calibrated on and others (which may be empty), and the
/// levels below which 1 % and 0.1 % of the first lie, where that is one row or more.
struct NamedScores {
  std::string name;
  arma::vec log_density;
};
Picture score_picture(const NamedScores& calibration, const NamedScores& others);

/// The level below which a share of the values lies.
double tail_level(const arma::vec& values, double share);

/// Mutual information of all pairs as coloured cells, with the numbers where there are at most ten columns. Needs D×D,
/// symmetric, NaN where unknown; the diagonal is not shown.
Picture pairs_picture(const arma::mat& nats, const std::vector<std::string>& columns);

}  // namespace gaussianize::report
