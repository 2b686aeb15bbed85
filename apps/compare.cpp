#include <filesystem>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

#include "cli/evaluation.hpp"
#include "cli/exit_codes.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "commands.hpp"
#include "compare/comparison.hpp"
#include "compare/folds.hpp"
#include "fitting/presets.hpp"
#include "fitting/reporting.hpp"
#include "measuring/account.hpp"

namespace gaussianize {
using namespace detail;
namespace {

Fitted fit_kind(const Arguments& arguments, const std::string& kind, const FitData& data, const std::string& label) {
  if (kind == "gaussian") return fit_gaussian_model(data, arguments.threads());
  ProgressBar bar(kind + label, arguments.quiet());
  Fitted fitted;
  if (kind == "rbig") {
    RbigOptions options = preset_rbig_options(arguments);
    options.progress = bar.callback();
    fitted = fit_rbig_model(data, options);
  } else {
    GfOptions options = preset_gf_options(arguments);
    options.progress = bar.callback();
    fitted = data.validation.n_rows > 0 ? search_gf_model(data, options, {.effort = preset_effort(arguments)})
                                        : fit_gf_model(data, options);
  }
  if (fitted.interrupted) throw Cancelled();
  return fitted;
}

void say_what_was_fitted(const Arguments& arguments, const Fitted& fitted) {
  if (!fitted.candidates.empty()) arguments.say(fitted.model.kind, ": ", search_line(fitted));
  if (fitted.rbig)
    arguments.say("rbig: ", fitted.rbig->layers_kept, " layers kept of ", fitted.rbig->layers.size(),
                  "; stopped because: ", name(fitted.rbig->stop_reason));
  if (fitted.gf) {
    const GfOptions& o = fitted.gf->options;
    arguments.say("gf: ", o.layers, " layers, ", o.anchors, " anchors, ", o.reflections, " reflections, batch ",
                  o.batch, ", ", o.epochs, " epochs, learning rate ", o.schedule.learning_rate, "; best epoch ",
                  fitted.gf->best_epoch);
  }
}

/// Fits and evaluates every model on every fold. The fitted models of the last fold are kept in `fitted`.
Comparison run_folds(const Arguments& arguments, const std::vector<ComparisonFold>& folds,
                     std::vector<Fitted>& fitted) {
  std::vector<Evaluation> models;
  arma::mat test;
  for (const ComparisonFold& fold : folds) test = arma::join_cols(test, fold.test);
  for (const char* kind : {"gaussian", "rbig", "gf"}) {
    Evaluation joined;
    for (std::size_t k = 0; k < folds.size(); ++k) {
      const std::string label = folds.size() == 1 ? "" : concat(" fold ", k + 1, "/", folds.size());
      Fitted one = fit_kind(arguments, kind, folds[k].fit, label);
      say_what_was_fitted(arguments, one);
      join(joined, evaluate(kind, one.model.flow, folds[k].fit.training, folds[k].test, one.seconds, arguments.seed(),
                            arguments.threads()));
      if (k + 1 == folds.size()) fitted.push_back(std::move(one));
    }
    models.push_back(std::move(joined));
  }
  return sum_up(std::move(models), test, folds.front().true_log_density, arguments.seed(), arguments.threads());
}

/// Makes the folder for the models before the work, so that a failure does not lose the result.
void make_folder(const Arguments& arguments) {
  const std::string& folder = arguments.text("save-models");
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  if (error) throw FileError(concat("--save-models ", folder, ": cannot be made a folder: ", error.message()));
}

void save_models(const Arguments& arguments, const std::vector<Fitted>& fitted) {
  const std::filesystem::path folder = arguments.text("save-models");
  if (folder.empty()) return;
  for (const Fitted& one : fitted) save_model(one.model, folder / concat(one.model.kind, ".model"));
}

void make_report(const Arguments& arguments, const ComparisonFold& fold, const std::string& source,
                 const std::vector<Fitted>& fitted, const Comparison& c) {
  report::CompareInput input;
  input.data = {source,
                column_names(fold.fit.columns, c.dimension),
                fold.fit.training.n_rows,
                fold.fit.validation.n_rows,
                fold.test.n_rows,
                {}};
  input.test = fold.test;
  std::vector<const Model*> models;
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    const Evaluation& evaluation = c.models[i];
    report::Model model = report_model(fitted[i]);
    model.test_nll = evaluation.nll();
    model.score_rows_per_second = evaluation.score_rate;
    model.sample_rows_per_second = evaluation.sample_rate;
    model.round_trip_max_error = evaluation.round_trip;
    model.left = remainder(c.account, i);
    model.learned_from_chance = c.learned_from_chance(i);
    if (!c.truth.is_empty()) model.above_truth = c.above_truth(i);
    if (c.account.source != JSource::none) {
      const EndsAtOnce unasked;
      const Flow& flow = fitted[i].model.flow;
      const KlTrace trace =
          kl_trace(flow, fold.test, {.reference = c.account.reference, .threads = arguments.threads()});
      model.trace = layer_trace(trace, flow.layers.size(), c.account.bound);
    }
    input.models.push_back(std::move(model));
    models.push_back(&fitted[i].model);
  }
  if (!c.truth.is_empty()) input.true_nll = mean_estimate(-c.truth);
  input.pairs = {{"GF − RBIG", c.difference}};
  input.findings = findings(c);
  if (std::string note = ties_note(fold.fit.columns, fold.fit.training); !note.empty())
    input.findings.push_back(std::move(note));
  input.provenance = provenance(arguments, models);
  input.threads = arguments.threads();
  write_reports(arguments, input);
}

int run_compare(const Arguments& arguments) {
  for (const char* option : {"save-models", "report", "plot"})
    if (arguments.given(option) && arguments.given("cross-validate"))
      arguments.refuse("--cross-validate fits many models of each kind; leave out --", option);
  const bool report = wants_report(arguments);
  make_folder(arguments);
  std::string source;
  const std::vector<ComparisonFold> folds = comparison_folds(arguments, source);
  const FitData& fit = folds.front().fit;
  arguments.say("data: ", source, ", ", fit.training.n_cols, " columns; ", fit.training.n_rows, " training rows, ",
                fit.validation.n_rows, " validation rows, ", folds.front().test.n_rows, " test rows",
                folds.size() > 1 ? concat(", in each of ", folds.size(), " folds") : "", "; seed ",
                arguments.seed().value);
  std::vector<Fitted> fitted;
  const Comparison comparison = run_folds(arguments, folds, fitted);
  save_models(arguments, fitted);
  Json json = begin_json(arguments);
  json["data"] = source;
  json["preset"] = arguments.text("preset");
  json["folds"] = folds.size();
  json["training_rows"] = fit.training.n_rows;
  json["validation_rows"] = fit.validation.n_rows;
  fill_json(comparison, json);
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    json["models"][i]["options"] = typed_json(fitted[i].model.options);
    if (!fitted[i].candidates.empty()) json["models"][i]["candidates"] = candidates_json(fitted[i].candidates);
  }
  write_json(arguments, json);
  std::string text = comparison_table(comparison) + "\n";
  for (const std::string& sentence : findings(comparison)) text += sentence + "\n";
  print(arguments, text);
  if (arguments.text("preset") == "fast" && gf_is_worse(comparison))
    arguments.say("note: the preset fast trains GF only for a short time; --preset default may change this");
  if (report) make_report(arguments, folds.front(), source, fitted, comparison);
  return exit_done;
}

}  // namespace

Command compare_command() {
  Command command{
      .name = "compare",
      .summary = "fit a Gaussian, RBIG and GF, and compare them on test rows",
      .description =
          "Splits the rows by seed, fits a Gaussian of the same mean and covariance, RBIG and GF, and evaluates them "
          "on test rows that none of them has seen. It prints the mean negative log density (NLL) with its standard "
          "error, times, the error of forward and inverse together, and what each model leaves: its distance "
          "from the truth, or the largest lower bound on it that is known, split into I, the dependence between "
          "columns, "
          "and J_m, the distance of the columns' own distributions from normal, of the transformed rows. What a model "
          "learned from chance is how much better it fits its training rows than the test rows.\n\nWithout DATA it "
          "draws rows from a distribution whose density is known, and shows how "
          "far the NLL of each model is above the true one.",
      .positionals = {{"DATA", "a table; - is standard input; without it a built-in distribution", true}},
      .groups = {{"Comparing",
                  {preset_option(),
                   {"save-models", OptionKind::file, "write the three models into this folder", "DIR"}}},
                 comparison_data_options()},
      .examples = {"gaussianize compare --preset fast --rows 2000 --test-rows 1000",
                   "gaussianize generate two-spirals -n 2000 -o spirals.csv",
                   "gaussianize compare spirals.csv --preset fast --json result.json --save-models models"},
      .run = run_compare};
  for (Option& option : report_options()) command.groups.front().options.push_back(std::move(option));
  return command;
}

}  // namespace gaussianize
