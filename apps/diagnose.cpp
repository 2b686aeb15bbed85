#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

#include "cli/exit_codes.hpp"
#include "cli/interrupt.hpp"
#include "cli/models.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "cli/text_table.hpp"
#include "commands.hpp"
#include "diagnose/diagnosis.hpp"
#include "fitting/fitting.hpp"
#include "fitting/presets.hpp"
#include "fitting/reporting.hpp"
#include "measuring/account.hpp"
#include "measuring/pairs.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// Rows to diagnose, and the models that are to be diagnosed with them.
struct Subject {
  Table table;
  std::string source;
  std::vector<Fitted> models;
  arma::mat traced;    ///< the rows that go through the layers: held out where models are fitted here
  arma::vec truth;     ///< their true log density; empty if it is not known
  arma::mat training;  ///< the rows that the models were fitted to; none where they come from a file
};

/// `truth` is set to the true log density of every row, where it is known.
Table load(const Arguments& arguments, std::string& source, arma::vec& truth) {
  if (arguments.positionals() > 0) {
    source = arguments.positional(0) == "-" ? "standard input" : arguments.positional(0);
    return load_table(arguments, arguments.positional(0));
  }
  const std::string& toy = arguments.text("toy");
  check_toy(arguments, toy);
  ToySample drawn = draw_rows(arguments, toy, arguments.count("rows"), toy_dimension(arguments, toy), arguments.seed());
  source = concat("built-in distribution ", toy);
  truth = std::move(drawn.log_density);
  return {std::move(drawn.columns), std::move(drawn.x)};
}

std::vector<Fitted> fit_both(const Arguments& arguments, const FitData& data) {
  std::vector<Fitted> models;
  for (const char* kind : {"rbig", "gf"}) {
    ProgressBar bar(kind, arguments.quiet());
    if (models.empty()) {
      RbigOptions options = preset_rbig_options(arguments);
      options.progress = bar.callback();
      models.push_back(fit_rbig_model(data, options));
    } else {
      GfOptions options = preset_gf_options(arguments);
      options.progress = bar.callback();
      models.push_back(search_gf_model(data, options, {.effort = preset_effort(arguments)}));
    }
    if (models.back().interrupted) throw Cancelled();
  }
  return models;
}

Subject prepare(const Arguments& arguments) {
  Subject subject;
  const std::string& path = arguments.text("model");
  if (!path.empty()) {
    if (arguments.positionals() == 0) arguments.refuse("--model needs DATA: rows to send through it");
    check_one_input(arguments, {arguments.positional(0), path});
    for (const char* option : {"preset", "constant"})
      if (arguments.given(option))
        arguments.refuse("--", option, " is for models fitted here; leave it out with --model");
    Fitted fitted;
    fitted.model = read_model(path);
    subject.table = {column_names(fitted.model), load_rows_for(arguments, fitted.model, arguments.positional(0))};
    subject.source = arguments.positional(0);
    subject.traced = subject.table.values;
    subject.models.push_back(std::move(fitted));
    return subject;
  }
  arma::vec truth;
  Table table = load(arguments, subject.source, truth);
  table.columns = column_names(table.columns, table.values.n_cols);
  // Half of the rows are fitted, so that the other half shows what the layers do to new rows.
  const FitData halves = hold_out(table.columns, table.values, 0.5, arguments.seed());
  if (!truth.is_empty()) subject.truth = hold_out({}, truth, 0.5, arguments.seed()).validation;
  FitData fit = hold_out(table.columns, halves.training, 0.1, arguments.seed());
  const arma::uvec kept = varying_columns(arguments, table.columns, fit.training);
  subject.table = {keep_columns(table.columns, kept), keep_columns(table.values, kept)};
  subject.traced = keep_columns(halves.validation, kept);
  fit = {subject.table.columns, keep_columns(fit.training, kept), keep_columns(fit.validation, kept)};
  subject.models = fit_both(arguments, fit);
  subject.training = std::move(fit.training);
  return subject;
}

/// J of the rows, and what each model leaves of it, layer by layer.
void account_for_models(const Arguments& arguments, const Subject& subject, Diagnosis& result) {
  const EndsAtOnce unasked;
  const arma::mat& rows = subject.traced;
  result.marginals = column_information(rows, {.threads = arguments.threads()});
  std::vector<ModelRows> sides;
  for (const Fitted& fitted : subject.models) {
    const Execution execution{.threads = arguments.threads()};
    sides.push_back({log_density(fitted.model.flow, rows, execution), forward(fitted.model.flow, rows, execution).z});
  }
  result.account = kl_account(
      rows, sides, {.true_log_density = subject.truth, .seed = arguments.seed(), .threads = arguments.threads()});
  for (std::size_t m = 0; m < sides.size(); ++m) {
    const Fitted& fitted = subject.models[m];
    const Flow& flow = fitted.model.flow;
    const KlTraceOptions tracing{
        .reference = result.account.reference, .seed = arguments.seed(), .threads = arguments.threads()};
    result.models.push_back(
        {fitted.model.kind, kl_trace(flow, rows, tracing), test_normality(sides[m].z, arguments.threads()), {}});
    if (subject.training.empty()) continue;
    const arma::vec training = log_density(flow, subject.training, {.threads = arguments.threads()});
    result.models.back().learned = learned_from_chance(mean_estimate(training), mean_estimate(sides[m].log_density));
  }
}

PairwiseInformation measure_pairs(const Arguments& arguments, const arma::mat& rows) {
  ProgressBar bar("measure", arguments.quiet());
  return pairwise_mutual_information(rows, {.permutations = arguments.count("permutations"),
                                            .seed = arguments.seed(),
                                            .threads = arguments.threads(),
                                            .progress = bar.callback()});
}

Diagnosis diagnose(const Arguments& arguments, const Subject& subject) {
  Diagnosis result;
  result.columns = subject.table.columns;
  result.pairs = measure_pairs(arguments, subject.traced);
  result.ties = ties_note(result.columns, subject.traced);
  account_for_models(arguments, subject, result);
  return result;
}

void make_report(const Arguments& arguments, const Subject& subject, const Diagnosis& d) {
  report::DiagnoseInput input;
  input.data = {.name = subject.source,
                .columns = d.columns,
                .training_rows = subject.training.n_rows,
                .test_rows = subject.traced.n_rows};
  input.rows = subject.traced;
  input.negentropy = d.account.j;
  input.total_correlation = d.account.i;
  input.marginal_negentropy = d.account.j_m;
  input.bound = d.account.bound;
  input.suspect = d.account.suspect;
  input.findings = findings(d);
  std::vector<const Model*> models;
  for (std::size_t m = 0; m < subject.models.size(); ++m) {
    const Fitted& fitted = subject.models[m];
    report::Model model = report_model(fitted);
    model.trace = layer_trace(d.models[m].trace, fitted.model.flow.layers.size(), d.account.bound);
    model.left = remainder(d.account, m);
    if (d.models[m].learned) model.learned_from_chance = *d.models[m].learned;
    model.normality_p_value = d.models[m].remains.p_value;
    input.models.push_back(std::move(model));
    models.push_back(&fitted.model);
  }
  for (const std::size_t c : ranked_columns(d))
    input.columns.push_back({c, d.marginals[c].shape_negentropy, d.marginals[c].ties});
  for (const auto& [i, j] : ranked_pairs(d.pairs))
    input.pairs.push_back(
        {i, j, {d.pairs.value(i, j), d.pairs.standard_error(i, j)}, d.pairs.p_value(i, j), d.pairs.suspect(i, j) != 0});
  input.provenance = provenance(arguments, models);
  input.threads = arguments.threads();
  write_reports(arguments, input);
}

int run_diagnose(const Arguments& arguments) {
  for (const char* option : {"toy", "rows", "dimension"})
    if (arguments.positionals() > 0 && arguments.given(option))
      arguments.refuse("--", option, " is for built-in distributions; leave out the file");
  const bool report = wants_report(arguments);
  const Subject subject = prepare(arguments);
  arguments.say("data: ", subject.source, ", ", subject.table.values.n_rows, " rows, ", subject.table.values.n_cols,
                " columns; ", subject.traced.n_rows, " rows are sent through the layers");
  const Diagnosis diagnosis = diagnose(arguments, subject);
  Json json = begin_json(arguments);
  json["data"] = subject.source;
  json["rows"] = subject.table.values.n_rows;
  json["traced_rows"] = subject.traced.n_rows;
  fill_json(diagnosis, json);
  write_json(arguments, json);
  print(arguments, diagnosis_text(diagnosis));
  if (report) make_report(arguments, subject, diagnosis);
  return exit_done;
}

}  // namespace

Command diagnose_command() {
  Command command{
      .name = "diagnose",
      .summary =
          "how far data are from independent normal columns, which columns and pairs cause it, and what each layer "
          "removes",
      .description =
          "Splits J, the distance (Kullback-Leibler divergence) of the standardised rows from N(0, I), into I, the "
          "dependence between columns, and J_m, the distance of the columns' own distributions from normal: J = I + "
          "J_m, each with its standard error. Lists the columns that contribute most to J_m and the pairs that "
          "contribute most to I, and follows both through the layers of a model. Without --model it fits RBIG and GF "
          "to half of the rows, and all numbers are about the other half, which is sent through their "
          "layers.\n\nWithout DATA it diagnoses a built-in "
          "distribution.",
      .positionals = {{"DATA", "a table; - is standard input; without it a built-in distribution", true}},
      .groups = {{"Diagnosing",
                  {{"model", OptionKind::file, "a model file written by fit, instead of models fitted here", "MODEL"},
                   preset_option(),
                   {"permutations", OptionKind::count,
                    "number of permutations for the p-values of pairs; 0: no p-values", "N", "199"},
                   constant_option(),
                   {"toy", OptionKind::choice, "without DATA: the built-in distribution", "NAME", "sine-chain", 0,
                    toy_names()},
                   {"rows", OptionKind::count, "without DATA: number of rows to draw", "N", "4000"},
                   {"dimension", OptionKind::count,
                    "without DATA: columns, 5 if not given, for distributions of any dimension", "D"}}}},
      .examples = {"gaussianize diagnose --preset fast --rows 1000 --permutations 19",
                   "gaussianize generate gaussian-copula -n 600 -o copula.csv",
                   "gaussianize fit copula.csv --model rbig --layers 5 -o copula.model",
                   "gaussianize diagnose copula.csv --model copula.model --permutations 19 --json diagnosis.json"},
      .run = run_diagnose};
  for (Option& option : report_options()) command.groups.front().options.push_back(std::move(option));
  return command;
}

}  // namespace gaussianize
