#pragma once

#include <cstddef>
#include <filesystem>

#include <armadillo>

#pragma GCC visibility push(default)
namespace gaussianize {

/// Readers of the raw files from which the paper's data sets are prepared, each for the one format that its publisher
/// chose. They are strict: FileError for a file that cannot be read, DataError, with file, line and cell, for content
/// that is not of that format. Compressed files are to be unpacked first. datasets/README.md says where the files are.

struct HouseholdPower {
  arma::mat values;         ///< active and reactive power, voltage, intensity, three sub-meters, minute of the day
  std::size_t dropped = 0;  ///< rows with a missing value, "?" or nothing
};

/// household_power_consumption.txt: a header, then date;time;seven numbers.
HouseholdPower read_household_power(const std::filesystem::path& path);

struct MinibooneEvents {
  arma::mat values;  ///< signal rows first
  std::size_t signal = 0;
  std::size_t background = 0;
};

/// MiniBooNE_PID.txt: a line with the numbers of signal and background rows, then as many rows of 50 numbers, white
/// space between them.
MinibooneEvents read_miniboone(const std::filesystem::path& path);

/// ethylene_CO.txt: a line of words, then rows of 19 numbers, white space between them.
arma::mat read_ethylene(const std::filesystem::path& path);

/// 1000_train.csv or 1000_test.csv of HEPMASS: a header, then rows of as many numbers, commas between them. Cells
/// beyond the header's last name, if every row has them, are left out.
arma::mat read_hepmass(const std::filesystem::path& path);

struct Bsds300Parts {
  arma::mat train, validation, test;
};

/// BSDS300.hdf5: three two-dimensional data sets, train, validation and test. Throws FileError, naming the package to
/// install, if the library was built without HDF5.
Bsds300Parts read_bsds300(const std::filesystem::path& path);

/// Whether it was built with HDF5.
bool has_hdf5();

}  // namespace gaussianize
#pragma GCC visibility pop
