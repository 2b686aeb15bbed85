#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"

#include "report/pictures.hpp"

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

}  // namespace

Picture curve_picture(const Curve& curve, std::string_view title, std::string_view colour) {
  const arma::mat rows = curve_rows(curve);
  require(rows.n_rows > 0, "curve_picture: a curve without steps");
  const bool both = any_finite(curve.validation) && any_finite(curve.training);
  // The start of a fit can be far above all the rest, which would be flat on the same axis.
  const arma::uword settled = std::min<arma::uword>(rows.n_rows - 1, rows.n_rows / 20);
  const Range y = central_range(arma::vectorise(rows.submat(settled, 1, rows.n_rows - 1, 2)), 1.0);

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
  // One step makes no line.
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
  script.line("  $trace using 1:(0):2 with filledcurves lc rgb '", ink::amber, "' title 'Jₘ: margins', \\");
  script.line("  $trace using 1:3:5 with yerrorlines pt 7 ps 0.35 lw 1.2 lc rgb '", ink::blue, "', \\");
  script.line("  $trace using 1:2:4 with yerrorlines pt 7 ps 0.35 lw 1.2 lc rgb '", ink::amber, "'");
  return {script.take(), 440, 290, std::string(title) + ": what is left of I and J_m after every layer"};
}

}  // namespace gaussianize::report
