#include "report/sections.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/version.hpp"

#include "report/charts.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

/// A row of summary statistics, from finite values.
std::vector<std::string> column_row(const std::string& name, const arma::vec& values) {
  const arma::vec sorted = arma::sort(values);
  std::vector<std::string> cells{name};
  for (const double v :
       {arma::mean(values), arma::stddev(values), sorted(0), arma::median(sorted), sorted(sorted.n_elem - 1)})
    cells.push_back(significant(v, 4));
  return cells;
}

Table trace_table(const Model& model) {
  const LayerTrace& trace = *model.trace;
  std::vector<Estimate> all = trace.total_correlation;
  all.insert(all.end(), trace.marginal_negentropy.begin(), trace.marginal_negentropy.end());
  const int decimals = decimals_for(all);
  Table table{.caption = model.name + ": nats before the first layer (0) and after each layer, ± standard error",
              .header = {"layer", "I", "Jₘ", "J = I + Jₘ"}};
  for (std::size_t l = 0; l < trace.total_correlation.size(); ++l) {
    const Estimate &i = trace.total_correlation[l], &j_m = trace.marginal_negentropy[l];
    table.rows.push_back({std::to_string(l), bounded(i, trace.bound, decimals), with_error(j_m, decimals),
                          bounded({i.value + j_m.value, unknown}, trace.bound, decimals)});
  }
  return table;
}

/// Every setting, the seed, the version and the command.
Section settings_section(const Provenance& provenance) {
  Section section{.heading = "Settings",
                  .paragraphs = {"The same data, settings and seed give the same result with this version, for any "
                                 "number of threads."}};
  Table program{.caption = "Program", .text_columns = 2};
  program.rows.push_back({"version", "gaussianize " + std::string(version)});
  if (!provenance.command.empty()) program.rows.push_back({"command", provenance.command});
  program.rows.push_back({"seed", std::to_string(provenance.seed.value)});
  section.tables.push_back(program);
  for (const SettingGroup& group : provenance.settings) {
    Table table{.caption = group.heading, .text_columns = 2};
    for (const Setting& s : group.settings) table.rows.push_back({s.name, s.value});
    section.tables.push_back(table);
  }
  return section;
}

/// The candidates that a model was chosen from.
Table candidates_table(const Model& model) {
  Table table{.caption = model.name +
                         ": candidates. Held-out NLL in nats per row when the candidate was dropped or finished; those "
                         "dropped early were trained for less.",
              .header = {"candidate", "work", "chosen", "held-out NLL"},
              .text_columns = 3};
  std::vector<Estimate> all;
  for (const Candidate& c : model.candidates)
    if (std::isfinite(c.held_out_nll.value)) all.push_back(c.held_out_nll);
  const int decimals = decimals_for(all);
  for (const Candidate& c : model.candidates)
    table.rows.push_back({c.name, c.work, c.chosen ? "chosen" : "", with_error(c.held_out_nll, decimals)});
  return table;
}

}  // namespace

void check_input(const DataSummary& data, const arma::mat& rows, const std::vector<Model>& models, const char* caller) {
  require(rows.n_rows >= 2, caller, ": ", rows.n_rows, " rows to draw; at least 2");
  require(data.columns.size() == rows.n_cols, caller, ": ", data.columns.size(), " column names for ", rows.n_cols,
          " columns");
  for (const Model& model : models)
    require(model.flow == nullptr || model.flow->dimension == rows.n_cols, caller, ": the flow of ", model.name,
            " has ", model.flow == nullptr ? 0 : model.flow->dimension, " columns, the rows have ", rows.n_cols);
}

bool is_baseline(const Model& model) {
  return model.name == "Gaussian" || model.name == "gaussian";
}

std::string_view model_colour(const std::vector<Model>& models, std::size_t index) {
  if (is_baseline(models[index])) return ink::grey;
  const auto begin = models.begin(), end = begin + static_cast<std::ptrdiff_t>(index);
  return series_colour(static_cast<std::size_t>(end - begin - std::count_if(begin, end, is_baseline)));
}

std::string data_sentence(const DataSummary& data, std::size_t columns) {
  std::string text;
  const auto add = [&](std::size_t rows, const char* kind) {
    if (rows > 0) text += grouped(static_cast<double>(rows)) + " " + kind + " rows, ";
  };
  add(data.training_rows, "training");
  add(data.validation_rows, "validation");
  add(data.test_rows, "test");
  return data.name + ": " + text + grouped(static_cast<double>(columns)) + (columns == 1 ? " column" : " columns") +
         ".";
}

void add_long_table(Section& section, const Table& whole, std::size_t visible_rows, const std::string& what) {
  Table first = whole, rest = whole;
  const auto cut = static_cast<std::ptrdiff_t>(std::min(whole.rows.size(), visible_rows));
  first.rows.assign(whole.rows.begin(), whole.rows.begin() + cut);
  rest.rows.assign(whole.rows.begin() + cut, whole.rows.end());
  section.tables.push_back(first);
  if (!rest.rows.empty())
    section.details.push_back(
        {.summary = grouped(static_cast<double>(rest.rows.size())) + " more " + what, .tables = {rest}});
}

Section data_section(const DataSummary& data, const arma::mat& rows) {
  Section section{.heading = "Data", .paragraphs = {data_sentence(data, rows.n_cols)}};
  section.paragraphs.insert(section.paragraphs.end(), data.notes.begin(), data.notes.end());
  Table table{.caption = "Columns, from " + grouped(static_cast<double>(rows.n_rows)) + " rows",
              .header = {"column", "mean", "standard deviation", "minimum", "median", "maximum"}};
  for (std::size_t d = 0; d < rows.n_cols; ++d) table.rows.push_back(column_row(data.columns[d], rows.col(d)));
  add_long_table(section, table, 20, "columns");
  return section;
}

Section training_section(const std::vector<Model>& models) {
  Section section{.heading = "Training"};
  Figure figure{.caption =
                    "Negative log-likelihood per row after each step, on the training and the validation rows. "
                    "Training loss below validation loss is overfitting. The vertical axis leaves out the first "
                    "steps where they are far above the others."};
  for (std::size_t m = 0; m < models.size(); ++m) {
    if (models[m].curve)
      figure.pictures.push_back(curve_picture(*models[m].curve, models[m].name, model_colour(models, m)));
    for (const std::string& note : models[m].notes) section.paragraphs.push_back(models[m].name + ": " + note);
    if (!models[m].candidates.empty()) section.tables.push_back(candidates_table(models[m]));
  }
  if (!figure.pictures.empty()) section.figures.push_back(figure);
  return section;
}

std::vector<Picture> trace_pictures(const std::vector<Model>& models) {
  double top = 0.0;
  for (const Model& m : models)
    if (m.trace) top = std::max(top, trace_top(*m.trace));
  std::vector<Picture> pictures;
  for (const Model& m : models)
    if (m.trace) pictures.push_back(trace_picture(*m.trace, m.name, top));
  return pictures;
}

Table left_table(const std::vector<Model>& models) {
  Table table{.caption =
                  "What each model leaves: J = I + Jₘ of its Gaussianized rows, which is its distance from the truth; "
                  "≥: a lower bound. Learned from chance: mean log density of the training rows less that of the other "
                  "rows",
              .header = {"model", "left, nats", "I left", "Jₘ left", "learned from chance"}};
  std::vector<Estimate> all;
  for (const Model& m : models) all.insert(all.end(), {m.left.j, m.left.i, m.left.j_m, m.learned_from_chance});
  const bool tested =
      std::any_of(models.begin(), models.end(), [](const Model& m) { return !std::isnan(m.normality_p_value); });
  if (tested) table.header.push_back("p-value of N(0, I)");
  const int decimals = decimals_for(all);
  for (const Model& m : models) {
    table.rows.push_back({m.name, bounded(m.left.j, m.left.bound, decimals), bounded(m.left.i, m.left.bound, decimals),
                          with_error(m.left.j_m, decimals), with_error(m.learned_from_chance, decimals)});
    if (tested) table.rows.back().push_back(significant(m.normality_p_value, 2));
  }
  return table;
}

Section trace_section(const std::vector<Model>& models, const std::string& note) {
  Section section{.heading = "Divergence after each layer"};
  Figure figure{.pictures = trace_pictures(models),
                .caption =
                    "J = I + Jₘ is the divergence of the rows from N(0, I): Jₘ is the sum of the columns' own "
                    "divergences from N(0, 1), I the dependence between columns. A marginal map removes Jₘ; a rotation "
                    "turns I into Jₘ, which the next marginal map removes. Bars: two standard errors, of Jₘ below and "
                    "of I above. All pictures have the same scale."};
  if (std::any_of(models.begin(), models.end(), [](const Model& m) { return m.trace && m.trace->bound; }))
    figure.caption +=
        " J and I are lower bounds: dependence that nothing finds is missing from every height, by the same amount.";
  for (const Model& m : models)
    if (m.trace) section.details.push_back({.summary = m.name + ": the numbers", .tables = {trace_table(m)}});
  if (!figure.pictures.empty()) section.figures.push_back(figure);
  if (!figure.pictures.empty() && !note.empty()) section.paragraphs.push_back(note);
  return section;
}

void append(Draft& draft, const std::string& heading, const std::function<Section()>& make) {
  Section section;
  try {
    section = make();
  } catch (const NumericalError& error) {
    draft.problems.push_back(heading + " is not shown because it cannot be computed: " + error.what());
    section = {.heading = heading, .paragraphs = {draft.problems.back()}};
  }
  if (!section.paragraphs.empty() || !section.tables.empty() || !section.figures.empty() || !section.details.empty())
    draft.page.sections.push_back(std::move(section));
}

Report finish(Draft draft, const Provenance& provenance) {
  draft.page.sections.push_back(settings_section(provenance));
  draft.page.footer = "Written by gaussianize " + std::string(version) +
                      ". Values are in nats unless stated otherwise; ± is one standard error.";
  RenderedPage rendered = render(draft.page);
  draft.problems.insert(draft.problems.end(), rendered.problems.begin(), rendered.problems.end());
  return {std::move(rendered.html), std::move(draft.problems)};
}

}  // namespace gaussianize::report
