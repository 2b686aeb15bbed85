#include "fitting/reporting.hpp"

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

#include "report/picture.hpp"

namespace gaussianize {
using namespace detail;
namespace {

template <class Input>
void write_all(const Arguments& arguments, const Input& input, report::Report (*page)(const Input&),
               report::Picture (*picture)(const Input&)) {
  if (const std::string& path = arguments.text("report"); !path.empty()) {
    const report::Report made = page(input);
    for (const std::string& problem : made.problems) arguments.say("note: ", problem);
    report::write_report(made, path);
  }
  if (const std::string& path = arguments.text("plot"); !path.empty()) report::write_plot(picture(input), path);
}

report::SettingGroup setting_group(const std::string& heading, const std::map<std::string, std::string>& settings) {
  report::SettingGroup group{heading, {}};
  for (const auto& [name, value] : settings) group.settings.push_back({name, value});
  return group;
}

}  // namespace

std::vector<Option> report_options() {
  return {{"report", OptionKind::written, "write a self-contained HTML page with pictures", "FILE.html"},
          {"plot", OptionKind::written, "draw the main picture, as SVG or PNG by the file's extension", "FILE"}};
}

bool wants_report(const Arguments& arguments) {
  // A wrong extension or a missing program is reported now rather than after hours of work.
  if (arguments.given("plot")) {
    report::picture_format(arguments.text("plot"));
    if (!report::find_gnuplot())
      throw FileError(concat("--plot ", arguments.text("plot"), " cannot be drawn: ", report::gnuplot_missing()));
  }
  return arguments.given("report") || arguments.given("plot");
}

report::Provenance provenance(const Arguments& arguments, const std::vector<const Model*>& models) {
  report::Provenance result{arguments.typed(), arguments.seed(), {}};
  report::SettingGroup options{"Command line", {}};
  for (const OptionGroup& group : all_groups(arguments.command()))
    for (const Option& option : group.options)
      if (const std::string& value = arguments.text(option.name); !value.empty())
        options.settings.push_back({std::string(option.name), value});
  result.settings.push_back(std::move(options));
  for (const Model* model : models)
    if (!model->options.empty()) result.settings.push_back(setting_group(model->kind, model->options));
  return result;
}

report::LayerTrace layer_trace(const KlTrace& trace, std::size_t layers, bool bound) {
  const std::size_t standardising = layers - trace.layers.size();
  report::LayerTrace result{.bound = bound};
  result.total_correlation.assign(standardising, {report::unknown, report::unknown});
  result.marginal_negentropy = result.total_correlation;
  const auto add = [&](const TraceStage& stage) {
    result.total_correlation.push_back(stage.i);
    result.marginal_negentropy.push_back(stage.j_m);
  };
  add(trace.layers.empty() ? trace.end : trace.layers.front().before);
  for (const TraceLayer& layer : trace.layers) add(layer.after);
  return result;
}

report::Model report_model(const Fitted& fitted) {
  report::Model model{.name = fitted.model.kind, .flow = &fitted.model.flow};
  model.fit_seconds = fitted.seconds;
  if (fitted.rbig) {
    if (!fitted.rbig->layers.empty()) model.curve = report::training_curve(*fitted.rbig);
    model.notes.push_back(concat("stopped because: ", name(fitted.rbig->stop_reason)));
  }
  if (fitted.gf) {
    if (!fitted.gf->epochs.empty()) model.curve = report::training_curve(*fitted.gf);
    model.notes.push_back(concat("stopped because: ", name(fitted.gf->stop_reason)));
  }
  if (!fitted.candidates.empty()) model.notes.push_back(search_line(fitted));
  for (const Tried& c : fitted.candidates) {
    std::string work = c.layers == 0 ? std::string("–") : concat(c.layers, c.layers == 1 ? " layer" : " layers");
    if (c.rounds > 0) work += concat(", ", c.epochs, " epochs in ", c.rounds, c.rounds == 1 ? " round" : " rounds");
    model.candidates.push_back({c.name, c.held_out_nll, std::move(work), c.chosen});
  }
  return model;
}

void write_reports(const Arguments& arguments, const report::CompareInput& input) {
  write_all(arguments, input, report::compare_report, report::compare_picture);
}

void write_reports(const Arguments& arguments, const report::DiagnoseInput& input) {
  write_all(arguments, input, report::diagnose_report, report::diagnose_picture);
}

void write_reports(const Arguments& arguments, const report::FitInput& input) {
  write_all(arguments, input, report::fit_report, report::fit_picture);
}

}  // namespace gaussianize
