#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"

#include "report/charts.hpp"
#include "report/scene.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

constexpr std::size_t visible_rows = 12;

void check(const DiagnoseInput& input) {
  check_input(input.data, input.rows, input.models, "diagnose_report");
  const std::size_t columns = input.data.columns.size();
  for (const ColumnInformation& c : input.columns)
    require(c.column < columns, "diagnose_report: column ", c.column, " of ", columns);
  for (const PairInformation& p : input.pairs)
    require(p.first < columns && p.second < columns && p.first != p.second, "diagnose_report: the pair ", p.first, ", ",
            p.second, " of ", columns, " columns");
}

std::string interval(const Estimate& e, bool bound, int decimals) {
  if (!std::isfinite(e.standard_error)) return "–";
  const std::string low = fixed(e.value - 1.96 * e.standard_error, decimals);
  return bound ? low + " or more" : low + " to " + fixed(e.value + 1.96 * e.standard_error, decimals);
}

Section decomposition_section(const DiagnoseInput& input) {
  const std::vector<Estimate> parts{input.negentropy, input.total_correlation, input.marginal_negentropy};
  const int decimals = decimals_for(parts);
  Table table{.caption = "J = I + Jₘ of the standardised rows", .header = {"", "nats", "95 % interval"}};
  // Shares of a lower bound are not known.
  const bool shares = !input.bound && input.negentropy.value > 0;
  if (shares) table.header.push_back("share of J");
  if (input.suspect) table.header.push_back("");
  const auto row = [&](const std::string& name, const Estimate& e, bool bound) {
    table.rows.push_back({name, bounded(e, bound, decimals), interval(e, bound, decimals)});
    if (shares) table.rows.back().push_back(fixed(100 * e.value / input.negentropy.value, 0) + " %");
    if (input.suspect) table.rows.back().push_back(bound ? "suspect" : "");
  };
  row("J: divergence from N(0, I)", input.negentropy, input.bound);
  row("I: dependence between columns", input.total_correlation, input.bound);
  row("Jₘ: columns, one by one", input.marginal_negentropy, false);
  return {.heading = "Decomposition",
          .paragraphs =
              {"J is the Kullback–Leibler divergence of the data from the standard normal distribution. It is the "
               "sum of Jₘ, the divergence of each column by itself, and I, the dependence between columns."},
          .tables = {table, left_table(input.models)}};
}

/// ColumnInformation or PairInformation, the largest first.
template <class Information>
std::vector<Information> in_decreasing_order(std::vector<Information> all) {
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.nats.value > b.nats.value; });
  return all;
}

Section columns_section(const DiagnoseInput& input) {
  Section section{.heading = "Columns"};
  if (input.columns.empty()) return section;
  const std::vector<ColumnInformation> sorted = in_decreasing_order(input.columns);
  std::vector<Estimate> estimates;
  for (const ColumnInformation& c : sorted) estimates.push_back(c.nats);
  const int decimals = decimals_for(estimates);
  Table table{.caption = "Divergence of each column from N(0, 1), in decreasing order",
              .header = {"column", "Jₘ, nats", "ties"}};
  for (const ColumnInformation& c : sorted)
    table.rows.push_back(
        {input.data.columns[c.column], with_error(c.nats, decimals), grouped(static_cast<double>(c.ties))});
  add_long_table(section, table, visible_rows, "columns");
  return section;
}

Section pairs_section(const DiagnoseInput& input) {
  Section section{.heading = "Pairs"};
  if (input.pairs.empty()) return section;
  const std::vector<PairInformation> sorted = in_decreasing_order(input.pairs);
  std::vector<Estimate> estimates;
  arma::mat nats(input.rows.n_cols, input.rows.n_cols, arma::fill::value(unknown));
  bool tested = false, suspect = false;
  for (const PairInformation& p : sorted) {
    estimates.push_back(p.nats);
    nats(p.first, p.second) = nats(p.second, p.first) = p.nats.value;
    tested = tested || std::isfinite(p.p_value);
    suspect = suspect || p.suspect;
  }
  const int decimals = decimals_for(estimates);
  Table table{.caption = "Mutual information of pairs, in decreasing order",
              .header = {"first", "second", "nats"},
              .text_columns = 2};
  if (tested) table.header.push_back("p-value");
  if (suspect) table.header.push_back("caveat");
  for (const PairInformation& p : sorted) {
    table.rows.push_back({input.data.columns[p.first], input.data.columns[p.second], with_error(p.nats, decimals)});
    if (tested) table.rows.back().push_back(significant(p.p_value, 2));
    if (suspect) table.rows.back().push_back(p.suspect ? "suspect" : "");
  }
  section.figures.push_back({.pictures = {pairs_picture(nats, input.data.columns)},
                             .caption =
                                 "Mutual information of pairs: 0 means independence. The pairs do not add up to I: "
                                 "some dependence involves three or more columns, and some is counted in several "
                                 "pairs."});
  add_long_table(section, table, visible_rows, "pairs");
  return section;
}

Scene scene_of(const DiagnoseInput& input) {
  Scene scene{.data = input.data,
              .rows = input.rows,
              .models = input.models,
              .rows_name = "rows",
              .order = {},
              .seed = input.provenance.seed,
              .threads = input.threads};
  if (input.columns.size() != input.rows.n_cols) {
    scene.order = order_by_negentropy(input.rows, input.threads);
    return scene;
  }
  for (const ColumnInformation& c : in_decreasing_order(input.columns)) scene.order.push_back(c.column);
  if (scene.order.size() <= 6) std::sort(scene.order.begin(), scene.order.end());
  return scene;
}

}  // namespace

Report diagnose_report(const DiagnoseInput& input) {
  check(input);
  const Scene scene = scene_of(input);
  Draft draft{.page = {.title = "Diagnosis: " + input.data.name, .intro = input.findings}};
  draft.page.intro.push_back(data_sentence(input.data, input.rows.n_cols));
  draft.page.sections.push_back(decomposition_section(input));
  append(draft, "Columns", [&] { return columns_section(input); });
  append(draft, "Pairs", [&] { return pairs_section(input); });
  append(draft, "Divergence after each layer", [&] { return trace_section(input.models); });
  append(draft, "Training", [&] { return training_section(input.models); });
  append(draft, "Data and samples", [&] { return data_and_samples_section(scene); });
  append(draft, "Gaussianized rows", [&] { return gaussianized_section(scene); });
  draft.page.sections.push_back(data_section(input.data, input.rows));
  return finish(std::move(draft), input.provenance);
}

Picture diagnose_picture(const DiagnoseInput& input) {
  check(input);
  const std::vector<Picture> traces = trace_pictures(input.models);
  if (traces.empty()) return scene_picture(scene_of(input));
  return side_by_side(traces, static_cast<int>(traces.size()), "I and J_m after each layer");
}

}  // namespace gaussianize::report
