#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "report/page.hpp"
#include "report/pictures.hpp"
#include "report/report.hpp"

namespace gaussianize::report {

/// The parts that reports share.

/// Throws std::invalid_argument unless there is one name per column of the rows, and each flow has as many columns.
void check_input(const DataSummary& data, const arma::mat& rows, const std::vector<Model>& models, const char* what);

/// The colour of a model in every picture of a report: grey for a Gaussian, the series' colours for the others.
std::string_view model_colour(const std::vector<Model>& models, std::size_t index);

/// "12 345 training rows, 1 000 test rows, 5 columns"
std::string data_sentence(const DataSummary& data, std::size_t columns);

/// What the columns hold.
Section data_section(const DataSummary& data, const arma::mat& rows);

/// Every setting, the seed, the version and the command.
Section settings_section(const Provenance& provenance);

/// NLL against steps, for the models that have a curve; no figures without any.
Section training_section(const std::vector<Model>& models);

/// I and J_m after every layer, side by side on one scale, with the numbers; no figures without any trace.
Section trace_section(const std::vector<Model>& models);

/// What is needed to draw models over rows.
struct Scene {
  const DataSummary& data;
  const arma::mat& rows;
  const std::vector<Model>& models;
  std::string rows_name;           ///< "test rows"
  std::vector<std::size_t> order;  ///< of columns, the most telling first
  Seed seed;
  int threads;
};

/// Columns by how far from normal they are, the farthest first; as they come where at most six have to be shown.
std::vector<std::size_t> telling_order(const arma::mat& rows, int threads);

/// Two columns: points, densities and samples. More: scatter matrices of rows against samples.
Section data_and_samples_section(const Scene& scene);

/// Quantiles and, for three columns and more, scatter matrices of the Gaussianized rows.
Section remains_section(const Scene& scene);

/// For --plot: the rows, then every model's density and samples; for more than two columns the last model's samples
/// against the rows.
Picture scene_picture(const Scene& scene);

/// A page under construction, and what could not be shown on it.
struct Draft {
  Page page;
  std::vector<std::string> problems;
};

/// Calls `make` and appends its section unless it holds nothing. A numerical failure is a problem that the section
/// tells of: the rest of the page is worth having.
void append(Draft& draft, const std::string& heading, const std::function<Section()>& make);

/// Appends where and with what the page was made, draws it, and gives it back.
Report finished(Draft draft, const Provenance& provenance);

}  // namespace gaussianize::report
