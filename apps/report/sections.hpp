#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "report/page.hpp"
#include "report/report.hpp"

namespace gaussianize::report {

/// The sections that several reports share.

/// Throws std::invalid_argument unless there is one name per column of the rows, and each flow has as many columns.
/// `caller` starts the message.
void check_input(const DataSummary& data, const arma::mat& rows, const std::vector<Model>& models, const char* caller);

/// Whether the model is the Gaussian that others are compared with.
bool is_baseline(const Model& model);

/// The colour of a model in every picture of a report: grey for the baseline, the series' colours for the others.
std::string_view model_colour(const std::vector<Model>& models, std::size_t index);

/// "12 345 training rows, 1 000 test rows, 5 columns"
std::string data_sentence(const DataSummary& data, std::size_t columns);

/// Adds a table with its first rows visible and the others folded away: "12 more columns".
void add_long_table(Section& section, const Table& whole, std::size_t visible_rows, const std::string& what);

/// Summary statistics of every column.
Section data_section(const DataSummary& data, const arma::mat& rows);

/// NLL against steps, for the models that have a curve, and the candidates that were compared.
Section training_section(const std::vector<Model>& models);

/// What every model leaves, what it learned from chance and, where they were tested, the p-values of its Gaussianized
/// rows.
Table left_table(const std::vector<Model>& models);

/// I and J_m after every layer, side by side on one scale, with the numbers; no figures without any trace. `note`:
/// a paragraph, left out if it is empty.
Section trace_section(const std::vector<Model>& models, const std::string& note = {});

/// The traces alone; empty without any.
std::vector<Picture> trace_pictures(const std::vector<Model>& models);

/// A page under construction, and what could not be shown on it.
struct Draft {
  Page page;
  std::vector<std::string> problems;
};

/// Calls `make` and appends its section unless it is empty. After a numerical failure the section holds the error's
/// message, which is also one of the draft's problems; the rest of the page is still useful.
void append(Draft& draft, const std::string& heading, const std::function<Section()>& make);

/// Appends the settings, the seed, the version and the command, and renders the page.
Report finish(Draft draft, const Provenance& provenance);

}  // namespace gaussianize::report
