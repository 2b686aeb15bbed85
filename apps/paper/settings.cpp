#include "paper/settings.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"

#include "cli/text_table.hpp"
#include "report/script.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

std::string shown(double value) {
  return std::isnan(value) ? "–" : fixed(value, 3);
}

}  // namespace

bool is_image(const PaperSet& set) {
  return set.unit == LossUnit::bits_per_dimension;
}

double paper_result(const PaperSet& set, std::string_view method) {
  for (const PaperResult& result : set.results)
    if (result.method == method) return result.loss.value_or(unknown);
  return unknown;
}

RbigOptions paper_rbig(const PaperSet& set) {
  RbigOptions options = paper_rbig_options();
  if (set.name == "bsds300") options.kde_rows = 20000;
  if (is_image(set)) options.kde_rows = 10000;
  return options;
}

GfOptions paper_gf(const Run& run, const PaperSet& set, const SetRows& rows) {
  const PaperArchitecture& a = set.architecture;
  return {.layer = LayerMap::paper,
          .layers = a.layers,
          .anchors = a.anchors,
          .first_anchors = a.anchors,
          .reflections = a.reflections,
          .train_weights = false,
          .marginal_layer = false,
          .batch = std::min<std::size_t>(a.batch, rows.training.n_rows),
          .epochs = run.epochs(a.epochs),
          .schedule = {.kind = Schedule::cosine, .learning_rate = a.learning_rate}};
}

report::Section paper_table(const Run& run, bool images) {
  std::vector<const PaperSet*> sets;
  for (const PaperSet& set : paper_sets())
    if (is_image(set) == images) sets.push_back(&set);
  report::Table table{
      .caption = images ? "Bits per dimension, the paper's and ours" : "Test NLL in nats, the paper's and ours",
      .header = {"method"}};
  for (const PaperSet* set : sets) table.header.emplace_back(set->name);
  std::map<std::string, std::vector<std::string>> ours;
  for (const auto& [key, cell] : run.ledger().cells())
    for (const Record& r : cell.records)
      for (std::size_t s = 0; s < sets.size(); ++s)
        if (r.set == sets[s]->name && (r.quantity == "test NLL" || r.quantity == "bits per dimension")) {
          auto& row = ours[key.substr(r.set.size() + 1) + ", here"];
          row.resize(sets.size(), "–");
          row[s] = with_error(r.value, 3) + (cell.complete ? "" : " (unfinished)");
        }
  for (const PaperResult& method : sets.front()->results) {
    std::vector<std::string> row{std::string(method.method)};
    for (const PaperSet* set : sets) row.push_back(shown(paper_result(*set, method.method)));
    table.rows.push_back(std::move(row));
  }
  for (auto& [method, cells] : ours) {
    std::vector<std::string> row{method};
    row.insert(row.end(), cells.begin(), cells.end());
    table.rows.push_back(std::move(row));
  }
  return {.heading = "Beside the paper", .tables = {table}};
}

report::Section training_section(const Run& run) {
  report::Section section{.heading = "Training"};
  for (const auto& [key, cell] : run.ledger().cells()) {
    const auto training = cell.curves.find("training");
    const auto validation = cell.curves.find("validation");
    if (training == cell.curves.end() || validation == cell.curves.end()) continue;
    std::vector<double> epochs(training->second.size());
    for (std::size_t e = 0; e < epochs.size(); ++e) epochs[e] = static_cast<double>(e + 1);
    section.figures.push_back({.pictures = {curves_picture(key, "epoch", "NLL, nats",
                                                           {{"training", epochs, training->second},
                                                            {"validation", epochs, validation->second}})},
                               .caption = key + ": NLL after every epoch"});
  }
  return section;
}

report::Picture curves_picture(const std::string& title, const std::string& x_label, const std::string& y_label,
                               const std::vector<CurveSeries>& series) {
  report::Script script;
  script.panel(title);
  arma::vec late;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const arma::vec x(series[s].x), y(series[s].y);
    script.data(concat("series", s), arma::join_rows(x, y));
    late = arma::join_cols(late, y.tail(y.n_elem - y.n_elem / 10));
  }
  script.line("set xlabel ", report::quote(x_label), "; set ylabel ", report::quote(y_label));
  script.line("set yrange ", report::range_text(report::central_range(late, 1.0)), "; set key top right");
  std::string plot = "plot ";
  for (std::size_t s = 0; s < series.size(); ++s)
    plot +=
        concat(s > 0 ? ", " : "", "$series", s, " using 1:2 with linespoints pointtype 7 pointsize 0.3 linecolor rgb '",
               report::series_colour(s), "' title ", report::quote(series[s].name));
  script.line(plot);
  return {.script = script.take(), .description = concat(title, ": ", y_label, " against ", x_label)};
}

}  // namespace gaussianize::paper
