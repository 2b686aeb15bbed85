#pragma once

#include <cstddef>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// A data set as models are fitted to and tested on it.
struct PreparedSet {
  arma::mat train, validation, test;
};

/// The paper's data sets from their raw columns, by the steps of Papamakarios et al. 2017, which docs/data.md spells
/// out. io/raw_sets.hpp reads the raw files. Tabular values are rounded to single precision at the end, as the
/// published files are. Each function throws DataError, saying what was expected, for columns that are not the file's,
/// for values that are not finite and for too few rows to split.

/// Raw: the rows without missing values of household_power_consumption.txt, N×8: active power, reactive power, voltage,
/// intensity, three sub-meters, minute of the day. Shuffled and dequantised by NumPy's generator with its seed of 42,
/// so that the whole file comes out as published. Six columns are left.
PreparedSet prepare_power(const arma::mat& raw);

struct GasOptions {
  std::size_t rows = 1'052'065;  ///< as many as the published sample has; 0 keeps all rows in their order
  Seed seed = {};
};

/// Raw: ethylene_CO.txt, N×19: time, two concentrations, sixteen sensors. The published rows are a quarter of the file,
/// drawn by nobody knows which seed: if there are more than `rows` rows, a seeded draw stands in for it. From the
/// sensors the first that correlates above 0.98 with another is dropped until none does: eight are left.
PreparedSet prepare_gas(const arma::mat& raw, const GasOptions& options = {});

/// Raw: 1000_train.csv, a label and 27 features, and 1000_test.csv, which has one column more at its end. Rows with
/// label 1; 21 features are left.
PreparedSet prepare_hepmass(const arma::mat& train, const arma::mat& test);

/// Raw: the rows of MiniBooNE_PID.txt, N×50, of which the first `signal` are signal: those are kept. 43 features are
/// left.
PreparedSet prepare_miniboone(const arma::mat& raw, std::size_t signal);

/// Raw: the three parts of BSDS300.hdf5, 63 columns each, already prepared.
PreparedSet prepare_bsds300(const arma::mat& train, const arma::mat& validation, const arma::mat& test);

struct ImageOptions {
  double lambda = 1e-6;                  ///< the paper's: 1e-5 for MNIST, 1e-6 for Fashion-MNIST
  std::size_t validation_rows = 10'000;  ///< the last ones of the training file
  Seed seed = {};                        ///< of the noise
};

/// Raw: pixels 0 … 255 of the two image files, N×784. They pass through image_transforms; validation and test have
/// their own noise. Double precision is kept.
PreparedSet prepare_images(const arma::mat& train, const arma::mat& test, const ImageOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
