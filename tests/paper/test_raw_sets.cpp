#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"

#include "io/temporary_folder.hpp"
#include "paper/raw_sets.hpp"

#ifdef GAUSSIANIZE_HAVE_HDF5
#include <hdf5.h>
#endif

using namespace gaussianize;
using namespace gaussianize::testing;

namespace {

struct RawFile : TemporaryFolder {
  std::filesystem::path file = path / "raw.txt";
  explicit RawFile(const std::string& text) { std::ofstream(file, std::ios::binary) << text; }
};

template <class Read>
std::string data_error(const std::string& text, Read read) {
  const RawFile raw(text);
  return testing::data_error([&] { read(raw.file); });
}

const std::string power_header =
    "Date;Time;Global_active_power;Global_reactive_power;Voltage;Global_intensity;Sub_metering_1;Sub_metering_2;"
    "Sub_metering_3\r\n";

std::string repeated(const std::string& cell, std::size_t count, const std::string& between) {
  std::string text = cell;
  for (std::size_t i = 1; i < count; ++i) text += between + cell;
  return text;
}

}  // namespace

TEST_CASE("household power: numbers, the minute of the day, missing rows dropped and counted") {
  const RawFile raw(power_header + "16/12/2006;17:24:00;4.216;0.418;234.840;18.400;0.000;1.000;17.000\r\n" +
                    "21/12/2006;11:23:00;?;?;?;?;?;?;\r\n" + "21/12/2006;23:59:00;0.5;0;240.1;2;0;0;0\n");
  const HouseholdPower power = read_household_power(raw.file);
  CHECK(power.dropped == 1);
  REQUIRE(power.values.n_rows == 2);
  const arma::rowvec first{4.216, 0.418, 234.84, 18.4, 0, 1, 17, 17 * 60 + 24};
  CHECK(arma::all(power.values.row(0) == first));
  CHECK(power.values(1, 7) == 1439);
}

TEST_CASE("household power: what is not in its format is refused with line and cell") {
  const auto read = [](const auto& path) { read_household_power(path); };
  CHECK(contains(data_error("", read), "is empty"));
  CHECK(contains(data_error("Date,Time\n", read), ":1: the header"));
  CHECK(contains(data_error(power_header + "1/1/2007;00:00:00;1;2\n", read), ":2: 4 cells where 9"));
  CHECK(contains(data_error(power_header + "1/1/2007;00:00:00;1;2;abc;4;5;6;7\n", read),
                 ":2: 'abc' is not a finite number"));
  CHECK(contains(data_error(power_header + "1/1/2007;00:00:00;1;2;nan;4;5;6;7\n", read), "'nan'"));
  CHECK(contains(data_error(power_header + "1/1/2007;0:00:00;1;2;3;4;5;6;7\n", read), "hh:mm:ss"));
  CHECK(contains(data_error(power_header + "1/1/2007;24:00:00;1;2;3;4;5;6;7\n", read), "hh:mm:ss"));
}

TEST_CASE("MiniBooNE: counts, then rows of 50") {
  const std::string row = "  " + repeated("0.1E+01", 50, "  ") + "\n";
  const RawFile raw("   2     1\n" + row + row + row);
  const MinibooneEvents events = read_miniboone(raw.file);
  CHECK(events.signal == 2);
  CHECK(events.background == 1);
  CHECK(events.values.n_rows == 3);
  CHECK(events.values.n_cols == 50);
  CHECK(arma::all(arma::vectorise(events.values == 1.0)));
  const auto read = [](const auto& path) { read_miniboone(path); };
  CHECK(contains(data_error("2 1\n" + row + row, read), "has 2 rows, its first line announces 2 + 1"));
  CHECK(contains(data_error(row, read), "50 cells, not the two class counts"));
  CHECK(contains(data_error("1 0\n" + repeated("1", 49, " ") + "\n", read), ":2: 49 cells where 50"));
  CHECK(contains(data_error("1.5 0\n" + row, read), "'1.5' is not a number of rows"));
}

TEST_CASE("ethylene: a header, then rows of 19") {
  const RawFile raw("Time (seconds), CO conc (ppm), Ethylene conc (ppm), sensor readings (16 channels)\n" +
                    repeated("0.00", 18, "\t") + " -50.85 \n");
  const arma::mat x = read_ethylene(raw.file);
  CHECK(x.n_rows == 1);
  CHECK(x(0, 18) == -50.85);
  const auto read = [](const auto& path) { read_ethylene(path); };
  CHECK(contains(data_error(repeated("1", 19, " "), read), "'Time'"));
  CHECK(contains(data_error("Time\n" + repeated("1", 18, " "), read), ":2: 18 cells where 19"));
}

TEST_CASE("HEPMASS: a header that names the columns") {
  const RawFile raw("# label,f0,mass\n1.0e+00,-2.5e-01,1000\n0.0,3,1000\n");
  const arma::mat x = read_hepmass(raw.file);
  CHECK(x.n_rows == 2);
  CHECK(x.n_cols == 3);
  CHECK(x(0, 1) == -0.25);
  CHECK(read_hepmass(RawFile("# label,f0\n1,2,9\n0,3,9\n").file).n_cols == 2);
  const auto read = [](const auto& path) { read_hepmass(path); };
  CHECK(contains(data_error("1,2,3\n", read), "label"));
  CHECK(contains(data_error("# label,f0\n1\n", read), ":2: 1 cells where the header has 2"));
  CHECK(contains(data_error("# label,f0\n1,2\n1,2,3\n", read), ":3: 3 cells where the rows before have 2"));
}

TEST_CASE("files that are missing or compressed are said to be so") {
  const TemporaryFolder folder;
  CHECK(contains(file_error([&] { read_ethylene(folder.path / "none.txt"); }), "cannot be opened"));
  const RawFile packed("\x1f\x8b\x08 data");
  CHECK(contains(file_error([&] { read_hepmass(packed.file); }), "unpack it first"));
}

#ifdef GAUSSIANIZE_HAVE_HDF5

namespace {

void write_matrix(hid_t file, const char* name, const std::vector<float>& values, hsize_t rows, hsize_t columns) {
  const hsize_t shape[2] = {rows, columns};
  const hid_t space = H5Screate_simple(2, shape, nullptr);
  const hid_t set = H5Dcreate2(file, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(H5Dwrite(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
  H5Dclose(set);
  H5Sclose(space);
}

}  // namespace

TEST_CASE("BSDS300: three matrices of an HDF5 file") {
  CHECK(has_hdf5());
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path / "BSDS300.hdf5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_matrix(file, "train", {1, 2, 3, 4, 5, 6}, 3, 2);
  write_matrix(file, "validation", {7, 8}, 1, 2);
  H5Fclose(file);
  std::string message;
  try {
    read_bsds300(path);
  } catch (const DataError& error) {
    message = error.what();
  }
  CHECK(contains(message, "no data set 'test'"));
  const hid_t again = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  write_matrix(again, "test", {0.5F, -0.25F}, 1, 2);
  H5Fclose(again);
  const Bsds300Parts parts = read_bsds300(path);
  CHECK(arma::all(arma::vectorise(parts.train == arma::mat{{1, 2}, {3, 4}, {5, 6}})));
  CHECK(arma::all(arma::vectorise(parts.validation == arma::mat{{7, 8}})));
  CHECK(arma::all(arma::vectorise(parts.test == arma::mat{{0.5, -0.25}})));
  const RawFile text("no HDF5");
  CHECK(contains(file_error([&] { read_bsds300(text.file); }), "HDF5"));
}

#else

TEST_CASE("BSDS300 without the HDF5 library: the package is named") {
  CHECK_FALSE(has_hdf5());
  CHECK(contains(file_error([] { read_bsds300("BSDS300.hdf5"); }), "libhdf5-dev"));
}

#endif
