#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/math/normal.hpp"

#include "report/pictures.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

constexpr std::size_t max_quantiles = 160, max_plots = 12, score_bins = 60;

/// Quantiles of N(0, 1) that N rows can show, evenly spaced, and the probabilities that belong to them.
arma::vec shown_quantiles(std::size_t rows) {
  const double last = -normal_quantile(0.5 / static_cast<double>(rows));
  return arma::linspace(-last, last, std::min(rows, max_quantiles));
}

/// The value below which a share p lies, by linear interpolation between the order statistics (i + ½)/N.
double quantile_of(const arma::vec& sorted, double p) {
  const double at =
      std::clamp(p * static_cast<double>(sorted.n_elem) - 0.5, 0.0, static_cast<double>(sorted.n_elem - 1));
  const auto below = static_cast<arma::uword>(at);
  const arma::uword next = std::min<arma::uword>(below + 1, sorted.n_elem - 1);
  return sorted(below) + (at - static_cast<double>(below)) * (sorted(next) - sorted(below));
}

/// quantile, lower and upper end of the band, then one column of quantiles per column of z.
arma::mat quantile_rows(const arma::mat& z) {
  const arma::vec q = shown_quantiles(z.n_rows);
  arma::mat rows(q.n_elem, 3 + z.n_cols);
  for (arma::uword i = 0; i < q.n_elem; ++i) {
    // The asymptotic law of a quantile: variance p(1 − p)/(N φ²).
    const double spread =
        1.96 * std::sqrt(normal_cdf(q(i)) * normal_cdf(-q(i)) / static_cast<double>(z.n_rows)) / normal_pdf(q(i));
    rows.row(i).head(3) = arma::rowvec{q(i), q(i) - spread, q(i) + spread};
  }
  for (arma::uword d = 0; d < z.n_cols; ++d) {
    const arma::vec sorted = arma::sort(z.col(d));
    for (arma::uword i = 0; i < q.n_elem; ++i) rows(i, 3 + d) = quantile_of(sorted, normal_cdf(q(i)));
  }
  return rows;
}

/// Left edges and the share of all values per bin; values outside the range are in no bin.
arma::mat score_histogram(const arma::vec& values, const Range& range) {
  const double width = (range.high - range.low) / score_bins;
  arma::mat rows(score_bins + 1, 2, arma::fill::zeros);
  for (std::size_t b = 0; b <= score_bins; ++b) rows(b, 0) = range.low + width * static_cast<double>(b);
  for (const double v : values)
    if (v >= range.low && v < range.high)
      rows(std::min(static_cast<std::size_t>((v - range.low) / width), score_bins - 1), 1) +=
          100.0 / static_cast<double>(values.n_elem);
  return rows;
}

void mark_level(Script& script, const arma::vec& calibration, double share, int tag, const char* words) {
  const std::string at = plain(tail_level(calibration, share));
  script.line("set arrow ", tag, " from ", at, ", graph 0 to ", at, ", graph 0.", tag == 1 ? 88 : 74,
              " nohead dt 2 lw 1.2 lc rgb '", ink::purple, "'");
  script.line("set label ", tag, " '", words, "' at ", at, ", graph 0.", tag == 1 ? 91 : 77, " center tc rgb '",
              ink::purple, "' font ',11'");
}

}  // namespace

Picture quantile_picture(const arma::mat& z, const std::vector<std::string>& columns, std::string_view title) {
  require(z.n_rows >= 2 && columns.size() == z.n_cols, "quantile_picture: ", columns.size(), " names for a ", z.n_rows,
          "×", z.n_cols, " matrix of at least two rows");
  const std::size_t shown = std::min<std::size_t>(z.n_cols, max_plots);
  const arma::mat rows = quantile_rows(z.head_cols(shown));
  const double end = 1.15 * rows(rows.n_rows - 1, 0);
  Script script;
  script.panel(title);
  script.line("set size square").line("set key top left reverse Left font ',11'");
  script.line("set xlabel 'quantiles of N(0, 1)' offset 0,0.3").line("set ylabel 'quantiles of z' offset 1,0");
  script.line("set xrange ", range_text({-end, end})).line("set yrange ", range_text({-end, end}));
  script.data("quantiles", rows);
  std::string plot = concat("plot $quantiles using 1:2:3 with filledcurves fs transparent solid 0.3 noborder lc rgb '",
                            ink::grey, "', x with lines lw 0.8 lc rgb '", ink::grey, "'");
  for (std::size_t d = 0; d < shown; ++d) {
    plot += concat(", $quantiles using 1:", d + 4, " with lines lw 1.5 lc rgb '", series_colour(d), "'",
                   d < 6 ? "" : " dt '-'");
    if (shown <= 6) plot += " title " + quote(shortened(columns[d], 14));
  }
  script.line(plot);
  return {script.take(), 330, 315, std::string(title) + ": quantiles of every Gaussianized column against N(0, 1)"};
}

double tail_level(const arma::vec& values, double share) {
  require(!values.empty() && share > 0 && share < 1, "tail_level: a share of ", share, " of ", values.n_elem,
          " values");
  return quantile_of(arma::sort(values), share);
}

Picture score_picture(const NamedScores& first, const NamedScores& second) {
  const arma::vec &calibration = first.log_density, &others = second.log_density;
  require(calibration.n_elem >= 2, "score_picture: ", calibration.n_elem, " values; at least 2");
  Range range{tail_level(calibration, 0.0005), calibration.max()};
  if (!others.empty()) range = {std::min(range.low, tail_level(others, 0.002)), std::max(range.high, others.max())};
  const double margin = range.high > range.low ? (range.high - range.low) / 25 : 0.5;
  range = {range.low - margin, range.high + margin};
  Script script;
  script.panel("");
  script.line("set xlabel 'log density, nats' offset 0,0.3").line("set ylabel 'rows, %' offset 1,0");
  script.line("set xrange ", range_text(range)).line("set yrange [0:*]").line("set key top left reverse Left");
  if (calibration.n_elem >= 100) mark_level(script, calibration, 0.01, 1, "1 %");
  if (calibration.n_elem >= 1000) mark_level(script, calibration, 0.001, 2, "0.1 %");
  script.data("calibration", score_histogram(calibration, range));
  std::string plot = concat("plot $calibration with fillsteps fs solid 0.45 noborder lc rgb '", ink::blue, "' title ",
                            quote(first.name));
  if (!others.empty()) {
    script.data("others", score_histogram(others, range));
    plot += concat(", $others with steps lw 1.6 lc rgb '", ink::vermilion, "' title ", quote(second.name));
  }
  script.line(plot);
  return {script.take(), 620, 340, "Histogram of log densities with the levels of the calibrated tail"};
}

}  // namespace gaussianize::report
