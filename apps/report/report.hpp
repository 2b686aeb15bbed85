#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/gf/gf.hpp"
#include "gaussianize/math/estimate.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "report/picture.hpp"

/// Reports: the result of a command as one self-contained HTML file. The commands fill the plain structs below
/// and call compare_report, diagnose_report or fit_report. Every number is in nats unless its name says otherwise; a
/// NaN is shown as a dash, and whatever is left empty is left out of the page. All text (file and column names,
/// settings) may hold anything: it is escaped.
namespace gaussianize::report {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Where the rows came from.
struct DataSummary {
  std::string name;                  ///< of the file or the built-in distribution
  std::vector<std::string> columns;  ///< one name per column of the rows that are drawn
  std::size_t training_rows = 0, validation_rows = 0, test_rows = 0;  ///< 0: not shown
  std::vector<std::string> notes;                                     ///< e.g. "3 rows with missing values dropped"
};

struct Setting {
  std::string name, value;
};

/// Settings under one heading: "Data", "RBIG", "GF". Put every option with the value used, the chosen ones resolved.
struct SettingGroup {
  std::string heading;
  std::vector<Setting> settings;
};

/// How to repeat the result. The report adds the version of the library.
struct Provenance {
  std::string command;  ///< as typed
  Seed seed{};
  std::vector<SettingGroup> settings;
};

/// Negative log-likelihood per row after every step of a fit. NaN where it was not measured.
struct Curve {
  std::string step = "epoch";  ///< what one step is: "epoch" or "layer"
  std::vector<double> training, validation;
  std::size_t kept = 0;  ///< the step whose model was kept, counted from 1; 0: the start, or unknown
};

Curve training_curve(const RbigFit& fit);
Curve training_curve(const GfFit& fit);

/// J = I + J_m before the first layer (entry 0) and after every layer l (entry l). Both vectors have the
/// same length, the flow's number of layers plus one; NaN where a value was not estimated.
struct LayerTrace {
  std::vector<Estimate> total_correlation;    ///< I, the dependence between columns
  std::vector<Estimate> marginal_negentropy;  ///< J_m, how far the columns are from N(0, 1) one by one
  bool bound = false;                         ///< I, and J with it, are lower bounds, all short of the same amount
};

/// J = I + J_m of a model's Gaussianized rows.
struct Remainder {
  Estimate j{unknown, unknown}, i{unknown, unknown}, j_m{unknown, unknown};
  bool bound = false;  ///< J and I are lower bounds
};

/// One of the models that were compared to choose the final one.
struct Candidate {
  std::string name;
  Estimate held_out_nll{unknown, unknown};
  std::string work;  ///< "14 layers, 60 epochs in 2 rounds"
  bool chosen = false;
};

/// One fitted model and its results.
struct Model {
  std::string name;            ///< "Gaussian", "RBIG", "GF"
  const Flow* flow = nullptr;  ///< densities, samples and Gaussianized rows are drawn from it; null: none of them
  Estimate test_nll{unknown, unknown};
  Estimate training_nll{unknown, unknown};    ///< fit_report only
  Estimate validation_nll{unknown, unknown};  ///< fit_report only
  double fit_seconds = unknown;
  double score_rows_per_second = unknown, sample_rows_per_second = unknown;
  double round_trip_max_error = unknown;
  Remainder left;                                  ///< of its Gaussianized test rows
  Estimate learned_from_chance{unknown, unknown};  ///< mean log density, training rows less test rows
  Estimate above_truth{unknown, unknown};          ///< its test NLL less that of the true distribution
  double normality_p_value = unknown;              ///< of the Gaussianized rows against N(0, I)
  std::optional<Curve> curve;
  std::optional<LayerTrace> trace;
  std::vector<std::string> notes;  ///< e.g. why the fit stopped
  std::vector<Candidate> candidates;
};

/// A difference of two models' test NLL, row by row.
struct PairedDifference {
  std::string label;  ///< "GF − RBIG"
  Estimate nll;       ///< negative: the first is better
};

struct CompareInput {
  DataSummary data;
  arma::mat test;                       ///< N×D, the rows that were scored; pictures thin them
  std::vector<Model> models;            ///< in the order of the table
  std::optional<Estimate> true_nll;     ///< of the true distribution, where it is known
  std::vector<PairedDifference> pairs;  ///< at least GF − RBIG
  std::vector<std::string> findings;    ///< sentences above everything else, e.g. "GF is better by …"
  Provenance provenance;
  int threads = 0;
};

/// The negentropy of one column.
struct ColumnInformation {
  std::size_t column = 0;  ///< index into DataSummary::columns
  Estimate nats;
  std::size_t ties = 0;  ///< rows that repeat another's value
};

struct PairInformation {
  std::size_t first = 0, second = 0;  ///< indices into DataSummary::columns
  Estimate nats;
  double p_value = unknown;
  bool suspect = false;  ///< it may be more
};

struct DiagnoseInput {
  DataSummary data;
  arma::mat rows;                          ///< N×D, the rows that were diagnosed
  Estimate negentropy;                     ///< J of the standardised rows
  Estimate total_correlation;              ///< I
  Estimate marginal_negentropy;            ///< J_m; J is the sum of both
  bool bound = false;                      ///< J and I are lower bounds
  bool suspect = false;                    ///< there is reason to think that more is missing than usual
  std::vector<Model> models;               ///< with their traces; one or several, side by side
  std::vector<ColumnInformation> columns;  ///< J_m column by column
  std::vector<PairInformation> pairs;      ///< mutual information of pairs, all of them or the largest
  std::vector<std::string> findings;
  Provenance provenance;
  int threads = 0;
};

struct FitInput {
  DataSummary data;
  arma::mat training;  ///< N×D, the rows that were fitted
  arma::mat held_out;  ///< rows of the same columns that were not fitted, for the scores; may be empty
  Model model;
  std::string trace_note;  ///< which rows the trace is of
  std::vector<std::string> findings;
  Provenance provenance;
  int threads = 0;
};

/// A page, and the problems to report to the user: none, or e.g. that gnuplot is missing and how to install it. The
/// page is complete but for the pictures.
struct Report {
  std::string html;
  std::vector<std::string> problems;
};

Report compare_report(const CompareInput& input);
Report diagnose_report(const DiagnoseInput& input);
Report fit_report(const FitInput& input);

/// The picture of --plot: densities and samples for two columns, a scatter matrix for more; I and J_m after each layer,
/// for diagnose.
Picture compare_picture(const CompareInput& input);
Picture diagnose_picture(const DiagnoseInput& input);
Picture fit_picture(const FitInput& input);

/// Writes the page to `path`, complete or not at all. Throws FileError.
void write_report(const Report& report, const std::filesystem::path& path);

}  // namespace gaussianize::report
