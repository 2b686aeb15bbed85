#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "report/picture.hpp"
#include "report/report.hpp"
#include "report/script.hpp"

namespace gaussianize::report {

/// Charts of fits and of measures: training curves, traces, quantiles, scores, pairs.

/// Training and validation NLL against steps, and the step that was kept. The first steps may lie outside the picture:
/// the vertical axis is that of the others.
Picture curve_picture(const Curve& curve, std::string_view title, std::string_view colour);

/// J_m and, stacked on it, I before the first and after every layer, with error bars of two standard errors.
/// `top` is the upper end of the vertical axis, for pictures that are to be compared.
Picture trace_picture(const LayerTrace& trace, std::string_view title, double top);

/// The upper end of a trace: its maximum with its error bar.
double trace_top(const LayerTrace& trace);

/// Quantiles of every column of z (at most twelve columns) against those of N(0, 1), over the band in which 95 % of
/// such quantiles lie if the column is normal.
Picture quantile_picture(const arma::mat& z, const std::vector<std::string>& columns, std::string_view title);

/// Histograms of log densities, those the tail probabilities are calibrated on and others (which may be empty), and the
/// 1 % and 0.1 % quantiles of the first, where that is one row or more.
struct NamedScores {
  std::string name;
  arma::vec log_density;
};
Picture score_picture(const NamedScores& calibration, const NamedScores& others);

/// The quantile of probability `share`, in (0, 1): that share of the values lies below.
double tail_level(const arma::vec& values, double share);

/// Mutual information of all pairs as coloured cells, with the numbers where there are at most ten columns. Needs D×D,
/// symmetric, NaN where unknown; the diagonal is not shown.
Picture pairs_picture(const arma::mat& nats, const std::vector<std::string>& columns);

}  // namespace gaussianize::report
