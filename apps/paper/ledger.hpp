#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "gaussianize/math/estimate.hpp"

#include "cli/json.hpp"

namespace gaussianize::paper {

/// One number that an experiment found, and the paper's where it gives one (else NaN).
struct Record {
  std::string set;      ///< data set
  std::string model;    ///< "RBIG", "GF", or a method of the paper
  std::string variant;  ///< what was varied: "cubic", "500 rows"; may be empty
  std::string quantity;
  Estimate value;
  double paper = std::numeric_limits<double>::quiet_NaN();
};

/// One step of an experiment: a fit and what came of it.
struct Cell {
  std::vector<Record> records;
  std::map<std::string, std::vector<double>> curves;
  std::vector<std::string> notes;
  double seconds = 0.0;
  bool complete = true;  ///< false: time ran out; the numbers are those of the best so far, and a later run goes on
};

/// The cells of an experiment in OUTPUT/results.json, saved after every change, so that a run can be stopped at any
/// moment and gone on with.
class Ledger {
 public:
  /// Reads what is there. Throws FileError if it is no ledger, or of an experiment with other settings.
  Ledger(std::filesystem::path folder, Json settings);

  /// The finished or unfinished cell; null if it was never begun.
  const Cell* find(const std::string& key) const;
  void put(const std::string& key, Cell cell);

  /// In the order in which they were first put.
  const std::vector<std::pair<std::string, Cell>>& cells() const { return cells_; }
  const Json& settings() const { return settings_; }

  /// All records, one a line, as OUTPUT/results.csv.
  void write_csv() const;

 private:
  void save() const;

  std::filesystem::path folder_;
  Json settings_;
  std::vector<std::pair<std::string, Cell>> cells_;
};

}  // namespace gaussianize::paper
