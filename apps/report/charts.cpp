#include "report/charts.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/math/normal.hpp"

#include "report/script.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

bool any_finite(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

/// step, training, validation.
arma::mat curve_rows(const Curve& curve) {
  const std::size_t steps = std::max(curve.training.size(), curve.validation.size());
  arma::mat rows(steps, 3);
  for (std::size_t i = 0; i < steps; ++i) {
    rows(i, 0) = static_cast<double>(i + 1);
    rows(i, 1) = i < curve.training.size() ? curve.training[i] : unknown;
    rows(i, 2) = i < curve.validation.size() ? curve.validation[i] : unknown;
  }
  return rows;
}

/// layer, J_m, J, and two standard errors of J_m and of I.
arma::mat trace_rows(const LayerTrace& trace) {
  arma::mat rows(trace.marginal_negentropy.size(), 5);
  for (std::size_t l = 0; l < rows.n_rows; ++l) {
    const Estimate& j_m = trace.marginal_negentropy[l];
    const Estimate& i = trace.total_correlation[l];
    rows(l, 0) = static_cast<double>(l);
    rows(l, 1) = j_m.value;
    rows(l, 2) = j_m.value + i.value;
    rows(l, 3) = 2 * j_m.standard_error;
    rows(l, 4) = 2 * i.standard_error;
  }
  return rows;
}

void check(const LayerTrace& trace) {
  require(!trace.marginal_negentropy.empty() && trace.marginal_negentropy.size() == trace.total_correlation.size(),
          "a trace has ", trace.total_correlation.size(), " values of I and ", trace.marginal_negentropy.size(),
          " of J_m; it needs as many of both, at least one");
}

constexpr std::size_t max_quantiles = 160, max_plots = 12, score_bins = 60;

/// Evenly spaced quantiles of N(0, 1), up to those of probability 1/(2N) and 1 − 1/(2N).
arma::vec shown_quantiles(std::size_t rows) {
  const double last = -normal_quantile(0.5 / static_cast<double>(rows));
  return arma::linspace(-last, last, std::min(rows, max_quantiles));
}

/// The quantile of probability p, by linear interpolation between the order statistics (i + ½)/N. Hand-written because
/// arma::quantile reads beyond the last value at p = 1 − 1/(2N), where the pictures end.
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
    // The asymptotic distribution of a quantile: variance p(1 − p)/(N φ²).
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

void mark_level(Script& script, const arma::vec& calibration, double share, int tag, const char* text) {
  const std::string at = plain(tail_level(calibration, share));
  script.line("set arrow ", tag, " from ", at, ", graph 0 to ", at, ", graph 0.", tag == 1 ? 88 : 74,
              " nohead dt 2 lw 1.2 lc rgb '", ink::purple, "'");
  script.line("set label ", tag, " '", text, "' at ", at, ", graph 0.", tag == 1 ? 91 : 77, " center tc rgb '",
              ink::purple, "' font ',11'");
}

constexpr arma::uword max_numbered = 10;

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

Picture curve_picture(const Curve& curve, std::string_view title, std::string_view colour) {
  const arma::mat rows = curve_rows(curve);
  require(rows.n_rows > 0, "curve_picture: a curve without steps");
  const bool both = any_finite(curve.validation) && any_finite(curve.training);
  // The first losses can be so large that the others would look constant on the same axis.
  const arma::uword first_shown = std::min<arma::uword>(rows.n_rows - 1, rows.n_rows / 20);
  const Range y = central_range(arma::vectorise(rows.submat(first_shown, 1, rows.n_rows - 1, 2)), 1.0);

  Script script;
  script.panel(title);
  script.line("set xlabel ", quote(curve.step), " offset 0,0.3").line("set ylabel 'NLL, nats per row' offset 1,0");
  script.line("set xrange [0:", plain(static_cast<double>(rows.n_rows) + 0.5), "]");
  script.line("set yrange ", range_text(y)).line("set key top right");
  if (curve.kept > 0) {
    const std::string at = plain(static_cast<double>(curve.kept));
    script.line("set arrow 1 from ", at, ", graph 0 to ", at, ", graph 1 nohead dt 2 lw 1 lc rgb '", ink::grey, "'");
    script.line("set label 1 'kept' at ", at, ", graph 0.5 center rotate by 90 offset -0.8,0", " tc rgb '", ink::grey,
                "' font ',11'");
  }
  script.data("curve", rows);
  // A line needs two steps.
  const std::string style = rows.n_rows == 1 ? " with points pt 7 ps 0.7" : " with lines";
  std::string plot = "plot ";
  if (any_finite(curve.training))
    plot += concat("$curve using 1:2", style, " lw 1.4 dt ", both ? "'-'" : "1", " lc rgb '", both ? ink::grey : colour,
                   "' title 'training'", both ? ", " : "");
  if (any_finite(curve.validation))
    plot += concat("$curve using 1:3", style, " lw 2 lc rgb '", colour, "' title 'validation'");
  require(plot.size() > 5, "curve_picture: no value of the curve is finite");
  script.line(plot);
  return {script.take(), 440, 290, std::string(title) + ": negative log-likelihood per " + curve.step};
}

double trace_top(const LayerTrace& trace) {
  check(trace);
  const arma::mat rows = trace_rows(trace);
  double top = 0.0;
  for (arma::uword l = 0; l < rows.n_rows; ++l)
    for (const double high : {rows(l, 2) + rows(l, 4), rows(l, 1) + rows(l, 3), rows(l, 1), rows(l, 2)})
      if (std::isfinite(high)) top = std::max(top, high);
  return top;
}

Picture trace_picture(const LayerTrace& trace, std::string_view title, double top) {
  check(trace);
  const arma::mat rows = trace_rows(trace);
  const double last = static_cast<double>(rows.n_rows - 1);
  Script script;
  script.panel(title);
  script.line("set xlabel 'layers applied' offset 0,0.3").line("set ylabel 'nats' offset 0.4,0");
  script.line("set xrange [0:", plain(std::max(last, 1.0) + 0.25), "]");
  if (last <= 8) script.line("set xtics 1");
  script.line("set yrange [", plain(std::min(0.0, 1.1 * rows.cols(1, 2).min())), ":", plain(top > 0 ? 1.08 * top : 1),
              "]");
  script.line("set key top right reverse Left");
  script.line("set style fill transparent solid 0.45 noborder").line("set bars 0.4");
  script.data("trace", rows);
  script.line("plot $trace using 1:2:3 with filledcurves lc rgb '", ink::blue, "' title 'I: dependence', \\");
  script.line("  $trace using 1:(0):2 with filledcurves lc rgb '", ink::amber, "' title 'Jₘ: marginals', \\");
  script.line("  $trace using 1:3:5 with yerrorlines pt 7 ps 0.35 lw 1.2 lc rgb '", ink::blue, "', \\");
  script.line("  $trace using 1:2:4 with yerrorlines pt 7 ps 0.35 lw 1.2 lc rgb '", ink::amber, "'");
  return {script.take(), 440, 290, std::string(title) + ": I and J_m after each layer"};
}

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
  script.data("calibration", histogram(calibration, range, score_bins));
  std::string plot = concat("plot $calibration with fillsteps fs solid 0.45 noborder lc rgb '", ink::blue, "' title ",
                            quote(first.name));
  if (!others.empty()) {
    script.data("others", histogram(others, range, score_bins));
    plot += concat(", $others with steps lw 1.6 lc rgb '", ink::vermilion, "' title ", quote(second.name));
  }
  script.line(plot);
  return {script.take(), 620, 340, "Histogram of log densities with the quantiles of the lower tail"};
}

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
      // The palette starts at zero: a negative estimate has the colour of zero; its number is in the cell.
      cells.row(k) = arma::rowvec{static_cast<double>(j), static_cast<double>(i), std::max(0.0, value)};
      if (!std::isfinite(value)) cells(k, 2) = unknown;
    }
  if (top == 0.0) top = 1.0;
  const double end = static_cast<double>(count) - 0.5;
  const std::size_t step = (count + 29) / 30;
  Script script;
  script.panel("").palette();
  // An image needs every cell of the grid, also the empty ones.
  script.line("set datafile missing 'none'");
  script.line("set colorbox").line("set cblabel 'mutual information, nats' offset 0.8,0").line("set cbtics scale 0.4");
  script.line("set cbrange [0:", plain(top), "]").line("unset grid").line("set border 0").line("set tics scale 0");
  script.line("set size square")
      .line("set xrange ", range_text({-0.5, end}))
      .line("set yrange ", range_text({end, -0.5}));
  script.line("set xtics rotate by -40 left ", tic_list(columns, step)).line("set ytics ", tic_list(columns, step));
  if (count <= max_numbered) write_numbers(script, nats, top);
  script.data("pairs", cells);
  // Single cells stay sharp, and empty ones transparent; more than 30 × 30 of them would be too many.
  script.line("plot $pairs using 1:2:3 with image", count <= 30 ? " pixels" : "");
  const int side = std::clamp(46 * static_cast<int>(count), 260, 520);
  return {script.take(), side + 210, side + 80, "Mutual information of all pairs of columns"};
}

}  // namespace gaussianize::report
