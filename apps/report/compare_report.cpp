#include <cmath>

#include "report/scene.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

Scene scene_of(const CompareInput& input) {
  check_input(input.data, input.test, input.models, "compare_report");
  return {.data = input.data,
          .rows = input.test,
          .models = input.models,
          .rows_name = "test rows",
          .order = order_by_negentropy(input.test, input.threads),
          .seed = input.provenance.seed,
          .threads = input.threads};
}

Table quality_table(const CompareInput& input) {
  const double bits = static_cast<double>(input.test.n_cols) * std::log(2.0);
  std::vector<Estimate> nlls;
  for (const Model& m : input.models) nlls.push_back(m.test_nll);
  const int decimals = decimals_for(nlls);
  Table table{.caption = "Negative log-likelihood on the test rows (lower is better)",
              .header = {"model", "NLL, nats per row", "bits per dimension"}};
  if (input.true_nll) table.header.push_back("above the truth");
  const auto row = [&](const std::string& name, const Estimate& nll) {
    table.rows.push_back({name, with_error(nll, decimals), fixed(nll.value / bits, decimals)});
  };
  if (input.true_nll) row("true distribution", *input.true_nll);
  for (const Model& m : input.models) {
    row(m.name, m.test_nll);
    if (input.true_nll) table.rows.back().push_back(with_error(m.above_truth, decimals_for({m.above_truth})));
  }
  return table;
}

Table difference_table(const CompareInput& input) {
  Table table{.caption = "Paired differences, row by row; negative: the first model is better",
              .header = {"models", "NLL, nats per row", "difference / standard error"}};
  for (const PairedDifference& pair : input.pairs)
    table.rows.push_back({pair.label, with_error(pair.nll, decimals_for({pair.nll})),
                          fixed(pair.nll.value / pair.nll.standard_error, 1)});
  return table;
}

Table cost_table(const CompareInput& input) {
  Table table{.caption = "Cost and accuracy",
              .header = {"model", "fit, seconds", "rows scored per second", "rows sampled per second",
                         "maximum error of x → z → x"}};
  for (const Model& m : input.models)
    table.rows.push_back({m.name, significant(m.fit_seconds, 3), grouped(m.score_rows_per_second),
                          grouped(m.sample_rows_per_second), significant(m.round_trip_max_error, 2)});
  return table;
}

Section result_section(const CompareInput& input) {
  Section section{.heading = "Result", .tables = {quality_table(input)}};
  if (!input.pairs.empty()) section.tables.push_back(difference_table(input));
  section.tables.push_back(left_table(input.models));
  section.tables.push_back(cost_table(input));
  return section;
}

}  // namespace

Report compare_report(const CompareInput& input) {
  const Scene scene = scene_of(input);
  Draft draft{.page = {.title = "Comparison of models: " + input.data.name, .intro = input.findings}};
  draft.page.intro.push_back(data_sentence(input.data, input.test.n_cols));
  draft.page.sections.push_back(result_section(input));
  append(draft, "Data and samples", [&] { return data_and_samples_section(scene); });
  append(draft, "Training", [&] { return training_section(input.models); });
  append(draft, "Divergence after each layer", [&] { return trace_section(input.models); });
  append(draft, "Gaussianized rows", [&] { return gaussianized_section(scene); });
  draft.page.sections.push_back(data_section(input.data, input.test));
  return finish(std::move(draft), input.provenance);
}

Picture compare_picture(const CompareInput& input) {
  return scene_picture(scene_of(input));
}

}  // namespace gaussianize::report
