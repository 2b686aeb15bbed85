#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/gf/gf.hpp"
#include "gaussianize/rbig/rbig.hpp"

#include "cli/arguments.hpp"
#include "cli/progress.hpp"
#include "paper/ledger.hpp"
#include "paper/paper_sets.hpp"
#include "report/page.hpp"

namespace gaussianize::paper {

/// The rows of one of the paper's data sets.
struct SetRows {
  std::string name;
  arma::mat training, validation, test;
  std::vector<std::string> notes;
  bool training_file = true;  ///< false: the training rows are part of the validation file
};

/// A GF as far as it was trained.
struct Trained {
  GfFit fit;
  bool complete = true;
};

/// An experiment that is running: its options, and what every experiment needs.
class Run {
 public:
  Run(const Arguments& arguments, std::string experiment);

  Seed seed() const { return arguments_.seed(); }
  int threads() const { return arguments_.threads(); }
  double scale() const { return scale_; }
  const std::filesystem::path& output() const { return output_; }
  const Ledger& ledger() const { return ledger_; }
  const Arguments& arguments() const { return arguments_; }

  /// The share of the paper's work that --scale asks for goes into fewer epochs (not below `min_epochs`), and what is
  /// then still too much into fewer rows.
  std::size_t epochs(std::size_t paper_epochs) const;
  std::size_t rows(std::size_t all, std::size_t paper_epochs) const;

  /// Calls `work` and keeps its cell, unless the ledger has it complete or --only names others. Does nothing once the
  /// time is up or the program was interrupted.
  void cell(const std::string& key, const std::function<Cell()>& work);

  /// Whether time or the user asked to stop.
  bool stopped() const;
  bool interrupted_by_user() const;
  std::size_t passed_over() const { return passed_over_; }  ///< cells that --only leaves out

  /// Trains the GF of a cell, going on from its checkpoint if an earlier run left one; stops with the best so far and a
  /// checkpoint when the time is up.
  Trained train(const std::string& key, const arma::mat& training, const arma::mat& validation,
                GfOptions options) const;

  /// Fits the RBIG of a cell; when the time is up the cell is left for another run.
  RbigFit fit(const std::string& key, const arma::mat& training, const arma::mat& validation, RbigOptions options);

  /// DATA/NAME/{train,val,test}.npy; empty, with a message to the user, if they are not there. Where the training file
  /// alone is missing, the validation file is split 90 : 10 to train and validate on, and a note says so.
  std::optional<SetRows> load(const PaperSet& set) const;

  /// The same with as many training rows as the scale leaves, see rows(), and a note if that is fewer.
  std::optional<SetRows> load_share(const PaperSet& set, std::size_t paper_epochs) const;

  std::filesystem::path data_folder() const { return data_; }
  std::filesystem::path file(const std::string& key, std::string_view extension) const;

 private:
  ProgressCallback watched(ProgressBar& bar) const;

  const Arguments& arguments_;
  double scale_, budget_seconds_;
  std::filesystem::path data_, output_;
  Ledger ledger_;
  Stopwatch watch_;
  std::size_t passed_over_ = 0;
  bool cut_short_ = false;  ///< a fit of the cell under way
};

/// −mean log density with its standard error, plus a constant.
Estimate test_nll(const Flow& flow, const arma::mat& test, int threads, double constant = 0.0);

/// The first rows: the files are shuffled.
arma::mat head_rows(const arma::mat& x, std::size_t count);

/// The curve of a GF's training, for the ledger: epoch by epoch "training", "validation", "seconds".
std::map<std::string, std::vector<double>> training_curves(const GfFit& fit);

/// An experiment of the paper.
struct Experiment {
  std::string_view name;
  std::string_view summary;  ///< what it shows and where the paper has it
  void (*run)(Run& run);
  std::vector<report::Section> (*present)(const Run& run);  ///< its pictures; the numbers are presented for all alike
};

const std::vector<Experiment>& experiments();

Experiment toys_experiment();
Experiment tabular_experiment();
Experiment images_experiment();
Experiment initialisation_experiment();
Experiment stretched_experiment();
Experiment small_experiment();
Experiment rbig_experiment();

}  // namespace gaussianize::paper
