#include <cmath>

#include "gaussianize/core/detail/require.hpp"

#include "report/charts.hpp"
#include "report/scene.hpp"
#include "report/sections.hpp"
#include "report/text.hpp"

namespace gaussianize::report {
using namespace detail;
namespace {

/// The scene of one model, with the list of models that it refers to.
struct FitScene {
  std::vector<Model> models;
  Scene scene;

  explicit FitScene(const FitInput& input)
      : models{input.model},
        scene{.data = input.data,
              .rows = input.training,
              .models = models,
              .rows_name = "training rows",
              .order = {},
              .seed = input.provenance.seed,
              .threads = input.threads} {
    check_input(input.data, input.training, models, "fit_report");
    require(input.held_out.empty() || input.held_out.n_cols == input.training.n_cols,
            "fit_report: ", input.held_out.n_cols, " columns held out, ", input.training.n_cols, " fitted");
    scene.order = order_by_negentropy(input.training, input.threads);
  }
};

Section result_section(const FitInput& input) {
  const Model& m = input.model;
  const double bits = static_cast<double>(input.training.n_cols) * std::log(2.0);
  const int decimals = decimals_for({m.training_nll, m.validation_nll, m.test_nll});
  Table table{.caption = "Negative log-likelihood", .header = {"rows", "nats per row", "bits per dimension"}};
  const auto row = [&](const char* name, const Estimate& nll) {
    if (!std::isnan(nll.value))
      table.rows.push_back({name, with_error(nll, decimals), fixed(nll.value / bits, decimals)});
  };
  row("training", m.training_nll);
  row("validation", m.validation_nll);
  row("test", m.test_nll);
  Table cost{.caption = "Model", .header = {}};
  const auto add = [&](const char* name, const std::string& value, double number) {
    if (!std::isnan(number)) cost.rows.push_back({name, value});
  };
  if (m.flow != nullptr) cost.rows.push_back({"layers", std::to_string(m.flow->layers.size())});
  add("fit, seconds", significant(m.fit_seconds, 3), m.fit_seconds);
  add("rows scored per second", grouped(m.score_rows_per_second), m.score_rows_per_second);
  add("rows sampled per second", grouped(m.sample_rows_per_second), m.sample_rows_per_second);
  add("maximum error of x → z → x", significant(m.round_trip_max_error, 2), m.round_trip_max_error);
  Section section{.heading = "Result"};
  for (const Table& t : {table, cost})
    if (!t.rows.empty()) section.tables.push_back(t);
  if (!std::isnan(m.left.j.value)) section.tables.push_back(left_table({m}));
  return section;
}

Section score_section(const FitInput& input) {
  Section section{.heading = "Scores"};
  if (input.model.flow == nullptr) return section;
  const Execution execution{.threads = input.threads};
  const arma::vec training = log_density(*input.model.flow, input.training, execution);
  const arma::vec held_out =
      input.held_out.empty() ? arma::vec{} : log_density(*input.model.flow, input.held_out, execution);
  // As in the command score: rows that were not fitted, where there are any.
  const bool has_held_out = !held_out.empty();
  const arma::vec& calibration = has_held_out ? held_out : training;
  const std::string name = has_held_out ? "held-out rows" : "training rows";
  Table table{.caption = "Lower tail of the log density, calibrated on the " + name,
              .header = {"share of " + name + " below", "log density, nats"}};
  if (has_held_out) table.header.push_back("share of training rows below");
  for (const double share : {0.1, 0.01, 0.001}) {
    if (share * static_cast<double>(calibration.n_elem) < 1) continue;
    const double level = tail_level(calibration, share);
    table.rows.push_back({significant(100 * share, share < 0.01 ? 1 : 2) + " %", fixed(level, 3)});
    if (!has_held_out) continue;
    const double below = arma::mean(arma::conv_to<arma::vec>::from(training < level));
    table.rows.back().push_back(significant(100 * below, 3) + " %");
  }
  if (calibration.n_elem >= 2)
    section.figures.push_back(
        {.pictures = {score_picture({name, calibration}, {"training rows", has_held_out ? training : arma::vec{}})},
         .caption = "Log densities. Dashed lines: the 1 % and 0.1 % quantiles of the " + name +
                    ", where there are at least 100 and 1 000 of them. Values below the axis' lower end are not "
                    "shown."});
  section.tables.push_back(table);
  return section;
}

}  // namespace

Report fit_report(const FitInput& input) {
  const FitScene fit(input);
  Draft draft{.page = {.title = input.model.name + " fitted to " + input.data.name, .intro = input.findings}};
  draft.page.intro.push_back(data_sentence(input.data, input.training.n_cols));
  append(draft, "Result", [&] { return result_section(input); });
  append(draft, "Data and samples", [&] { return data_and_samples_section(fit.scene); });
  append(draft, "Training", [&] { return training_section(fit.models); });
  append(draft, "Divergence after each layer", [&] { return trace_section(fit.models, input.trace_note); });
  append(draft, "Gaussianized rows", [&] { return gaussianized_section(fit.scene); });
  append(draft, "Scores", [&] { return score_section(input); });
  draft.page.sections.push_back(data_section(input.data, input.training));
  return finish(std::move(draft), input.provenance);
}

Picture fit_picture(const FitInput& input) {
  return scene_picture(FitScene(input).scene);
}

}  // namespace gaussianize::report
