#include <filesystem>
#include <sstream>

#include "gaussianize/io/checkpoint_file.hpp"

#include "cli/exit_codes.hpp"
#include "cli/interrupt.hpp"
#include "cli/json.hpp"
#include "cli/models.hpp"
#include "cli/progress.hpp"
#include "cli/tables.hpp"
#include "commands.hpp"
#include "fitting/fitting.hpp"
#include "fitting/options.hpp"
#include "fitting/reporting.hpp"
#include "measuring/account.hpp"

namespace gaussianize {
using namespace detail;
namespace {

namespace fs = std::filesystem;

/// Training and validation rows, constant columns handled.
FitData load_data(const Arguments& arguments, const std::string& model) {
  const std::string& validation_path = arguments.text("validation");
  check_one_input(arguments, {arguments.positional(0), validation_path});
  Table table = load_table(arguments, arguments.positional(0));
  const bool given = !validation_path.empty();
  // The Gaussian has nothing to choose by validation rows, so it is fitted to all rows.
  const double fraction = given || model == "gaussian" ? 0.0 : arguments.number("validation-fraction");
  FitData data = hold_out(table.columns, table.values, fraction, arguments.seed());
  if (given)
    data.validation = match_columns(arguments, {table.columns, table.values.n_cols}, "the training data",
                                    load_table(arguments, validation_path), validation_path);
  const arma::uvec kept = varying_columns(arguments, table.columns, data.training);
  data.columns = keep_columns(table.columns, kept);
  data.training = keep_columns(data.training, kept);
  data.validation = keep_columns(data.validation, kept);
  note_ties(arguments, data.columns, data.training);
  return data;
}

std::string checkpoint_path(const Arguments& arguments) {
  const std::string& output = arguments.text("output");
  if (arguments.given("checkpoint")) return arguments.text("checkpoint");
  return output == "-" ? "" : output + ".checkpoint";
}

/// The checkpoint to continue from, if --resume is given and there is one.
std::optional<Checkpoint> checkpoint_to_resume(const Arguments& arguments, const std::string& path, bool searching) {
  const bool exists = !path.empty() && fs::exists(path);
  if (arguments.flag("resume") && path.empty())
    arguments.refuse("--resume needs --checkpoint FILE when the model goes to standard output");
  if (arguments.flag("resume") && exists) {
    arguments.say("continuing from ", path);
    Checkpoint checkpoint = load_checkpoint(path);
    if (checkpoint.metadata["init"] != arguments.text("init"))
      arguments.refuse("the checkpoint ", path, " belongs to a fit with --init ", checkpoint.metadata["init"],
                       "; resume with the same data, options and seed");
    if (is_search_checkpoint(checkpoint) != searching)
      arguments.refuse("the checkpoint ", path, " belongs to ",
                       searching ? "a single fit, and these options search; add --no-search or the --epochs of that fit"
                                 : "a search; resume without --no-search and --epochs");
    return checkpoint;
  }
  if (arguments.flag("resume")) arguments.say("note: there is no checkpoint ", path, ": starting from the beginning");
  if (!arguments.flag("resume") && exists)
    arguments.say("note: the checkpoint ", path,
                  " of an earlier fit will be replaced; --resume would continue from it");
  return std::nullopt;
}

Fitted fit_gf_with_checkpoints(const Arguments& arguments, const FitData& data, const std::string& path,
                               const ProgressCallback& progress) {
  GfOptions options = gf_options(arguments);
  options.progress = progress;
  if (!path.empty()) {
    // The library checks its own options; that the start came from RBIG is only known here.
    options.checkpoint = [path, init = arguments.text("init")](Checkpoint checkpoint) {
      checkpoint.metadata["init"] = init;
      save_checkpoint(checkpoint, path);
    };
    options.checkpoint_seconds = arguments.number("checkpoint-seconds");
    options.checkpoint_epochs = arguments.count("checkpoint-epochs");
  }
  const std::optional<GfSearchOptions> search =
      data.validation.n_rows > 0 ? gf_search_options(arguments) : std::nullopt;
  const std::optional<Checkpoint> checkpoint = checkpoint_to_resume(arguments, path, search.has_value());
  if (search) return search_gf_model(data, options, *search, checkpoint);
  return fit_gf_model(data, options, checkpoint, arguments.text("init") == "rbig");
}

Fitted fit_model(const Arguments& arguments, const FitData& data, const std::string& kind, const std::string& path) {
  if (kind == "gaussian") return fit_gaussian_model(data, arguments.threads());
  ProgressBar bar("fit " + kind, arguments.quiet());
  if (kind == "gf") return fit_gf_with_checkpoints(arguments, data, path, bar.callback());
  RbigOptions options = rbig_options(arguments);
  options.progress = bar.callback();
  return fit_rbig_model(data, options);
}

int report_interruption(const Arguments& arguments, const std::string& kind, const std::string& checkpoint) {
  if (kind == "gf" && !checkpoint.empty())
    arguments.say("interrupted; the checkpoint is ", checkpoint, ": the same command with --resume continues from it");
  else
    arguments.say("interrupted; no model was written");
  return exit_interrupted;
}

void write_summary(const Arguments& arguments, const Fitted& fitted) {
  const Model& model = fitted.model;
  Json json = begin_json(arguments);
  json["model"] = model.kind;
  json["output"] = arguments.text("output");
  json["units"] = "nats";
  json["columns"] = model.columns;
  json["dimension"] = model.flow.dimension;
  json["layers"] = model.flow.layers.size();
  json["fit_seconds"] = fitted.seconds;
  json["options"] = typed_json(model.options);
  json["summary"] = typed_json(model.summary);
  if (!fitted.candidates.empty()) json["candidates"] = candidates_json(fitted.candidates);
  write_json(arguments, json);
  if (arguments.text("output") == "-") return;
  std::ostringstream text;
  text << "model: " << model.kind << ", " << model.flow.dimension << " columns, " << model.flow.layers.size()
       << " layers\n";
  for (const auto& [key, value] : model.summary) text << key << ": " << value << '\n';
  print(arguments, text.str());
}

/// Whether there are rows enough to trace, of which no column is constant.
bool traceable(const arma::mat& rows) {
  constexpr arma::uword min_rows = 100;
  bool good = rows.n_rows >= min_rows;
  for (arma::uword d = 0; d < rows.n_cols && good; ++d) good = arma::any(rows.col(d) != rows(0, d));
  return good;
}

/// J of the held-out rows and what each layer removes of it; of the training rows if too few are held out, and then
/// without a claim on J.
void trace_model(const Arguments& arguments, const FitData& data, const Fitted& fitted, report::FitInput& input) {
  const EndsAtOnce unasked;
  const Flow& flow = fitted.model.flow;
  KlTraceOptions tracing{.seed = arguments.seed(), .threads = arguments.threads()};
  if (!traceable(data.validation)) {
    input.trace_note =
        "These are the rows that the model was fitted to: part of what the layers remove was learned from chance, so J "
        "is "
        "not that of other rows. What is left at the end is what the measures find in the Gaussianized rows.";
    input.model.trace = layer_trace(kl_trace(flow, data.training, tracing), flow.layers.size(), false);
    return;
  }
  input.trace_note = "These are the held-out rows.";
  const Execution execution{.threads = arguments.threads()};
  const arma::mat& rows = data.validation;
  const KlAccount account = kl_account(rows, {{log_density(flow, rows, execution), forward(flow, rows, execution).z}},
                                       {.seed = arguments.seed(), .threads = arguments.threads()});
  tracing.reference = account.reference;
  input.model.trace = layer_trace(kl_trace(flow, rows, tracing), flow.layers.size(), account.bound);
  input.model.left = remainder(account, 0);
  const auto log_density_of = [](const Estimate& nll) { return Estimate{-nll.value, nll.standard_error}; };
  input.model.learned_from_chance =
      learned_from_chance(log_density_of(input.model.training_nll), log_density_of(input.model.validation_nll));
  input.findings = account_sentences(account, "held-out rows", {fitted.model.kind});
}

void make_report(const Arguments& arguments, const FitData& data, const Fitted& fitted) {
  report::FitInput input;
  input.data = {
      arguments.positional(0), column_names(fitted.model), data.training.n_rows, data.validation.n_rows, 0, {}};
  input.training = data.training;
  input.held_out = data.validation;
  input.model = report_model(fitted);
  const auto nll = [&](const arma::mat& rows) {
    return mean_estimate(-log_density(fitted.model.flow, rows, {.threads = arguments.threads()}));
  };
  input.model.training_nll = nll(data.training);
  if (data.validation.n_rows > 0) input.model.validation_nll = nll(data.validation);
  trace_model(arguments, data, fitted, input);
  if (std::string note = ties_note(data.columns, data.training); !note.empty())
    input.findings.push_back(std::move(note));
  input.provenance = provenance(arguments, {&fitted.model});
  input.threads = arguments.threads();
  write_reports(arguments, input);
}

int run_fit(const Arguments& arguments) {
  const std::string& kind = arguments.text("model");
  const std::string& output = arguments.text("output");
  if (!arguments.given("model")) arguments.refuse("--model is missing; give --model rbig, gf or gaussian");
  if (output.empty()) arguments.refuse("--output is missing; give the file to write the model to: -o MODEL");
  if (output == "-" && json_takes_output(arguments))
    arguments.refuse("-o - and --json - both ask for standard output; give one of them a file");
  check_fit_options(arguments, kind);
  if (arguments.given("validation") && arguments.given("validation-fraction"))
    arguments.refuse("--validation gives the rows that are held out; leave out --validation-fraction");
  const bool wanted = wants_report(arguments);
  const std::string checkpoint = kind == "gf" ? checkpoint_path(arguments) : "";
  const FitData data = load_data(arguments, kind);
  const Fitted fitted = fit_model(arguments, data, kind, checkpoint);
  if (fitted.interrupted) return report_interruption(arguments, kind, checkpoint);
  write_model(fitted.model, output);
  if (!checkpoint.empty()) fs::remove(checkpoint);
  write_summary(arguments, fitted);
  if (wanted) make_report(arguments, data, fitted);
  return exit_done;
}

}  // namespace

Command fit_command() {
  Command command{
      .name = "fit",
      .summary = "fit one model to a table and save it",
      .description =
          "Fits a model to the rows of a table and writes it to a file that score, sample, transform and inspect read. "
          "A share of the rows is held out as validation rows: they decide when to stop and calibrate the tail "
          "probabilities of score.\n\n"
          "The same data, options and seed give the same bytes, for any number of threads. Ctrl-C keeps a checkpoint "
          "of a GF fit; the same command with --resume continues from it and writes the same model as an "
          "uninterrupted run.",
      .positionals = {{"DATA", "the table to fit: CSV, TSV, text, NPY or IDX, also gzipped; - is standard input"}},
      .groups = {{"Fitting",
                  {{"model", OptionKind::choice, "what to fit; required", "KIND", "", 'm', {"rbig", "gf", "gaussian"}},
                   {"output", OptionKind::written, "where the model is written; - is standard output; required",
                    "MODEL", "", 'o'},
                   {"validation", OptionKind::file, "validation rows, instead of a share of DATA", "FILE"},
                   constant_option()}}},
      .examples = {"gaussianize generate two-spirals -n 2000 -o spirals.csv",
                   "gaussianize fit spirals.csv --model rbig -o rbig.model",
                   "gaussianize fit spirals.csv --model gf --layers 4 --epochs 5 -o gf.model"},
      .run = run_fit};
  for (Option& option : report_options()) command.groups.front().options.push_back(std::move(option));
  for (OptionGroup& group : fit_option_groups()) command.groups.push_back(std::move(group));
  return command;
}

}  // namespace gaussianize
