#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/flow/flow.hpp"
#include "gaussianize/info/kl_trace.hpp"
#include "gaussianize/io/model_file.hpp"

#include "cli/arguments.hpp"
#include "fitting/fitting.hpp"
#include "report/report.hpp"

namespace gaussianize {

/// --report and --plot.
std::vector<Option> report_options();

bool wants_report(const Arguments& arguments);

/// The command line and the value of every option, then the options that the models record.
report::Provenance provenance(const Arguments& arguments, const std::vector<const Model*>& models);

/// I and J_m before and after each layer; the standardising layers in front, `layers` less those of the trace, are left
/// out. `bound`: J and I are lower bounds.
report::LayerTrace layer_trace(const KlTrace& trace, std::size_t layers, bool bound);

/// Name, flow, curve and notes of a fitted model, which must outlive the result.
report::Model report_model(const Fitted& fitted);

/// Writes --report and --plot from `input`, a CompareInput, DiagnoseInput or FitInput, and reports what could not be
/// drawn.
void write_reports(const Arguments& arguments, const report::CompareInput& input);
void write_reports(const Arguments& arguments, const report::DiagnoseInput& input);
void write_reports(const Arguments& arguments, const report::FitInput& input);

}  // namespace gaussianize
