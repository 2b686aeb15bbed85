#include <array>
#include <string>
#include <vector>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"

#include "paper/raw_sets.hpp"

#ifdef GAUSSIANIZE_HAVE_HDF5

#include <hdf5.h>

namespace gaussianize {
using namespace detail;
namespace {

/// Closes an identifier of the C library on destruction.
struct Handle {
  hid_t id;
  herr_t (*close)(hid_t);

  ~Handle() {
    if (id >= 0) close(id);
  }
  Handle(hid_t opened, herr_t (*closer)(hid_t)) : id(opened), close(closer) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
};

/// Keeps the C library from printing its error stack, for as long as it lives.
struct Silence {
  H5E_auto2_t former = nullptr;
  void* data = nullptr;

  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &former, &data);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, former, data); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

arma::mat read_part(const Handle& file, const char* name, const std::string& path) {
  const Handle set(H5Dopen2(file.id, name, H5P_DEFAULT), H5Dclose);
  if (set.id < 0) throw DataError(concat(path, ": there is no data set '", name, "'; is it BSDS300.hdf5?"));
  const Handle space(H5Dget_space(set.id), H5Sclose);
  std::array<hsize_t, 2> shape{};
  if (space.id < 0 || H5Sget_simple_extent_ndims(space.id) != 2 ||
      H5Sget_simple_extent_dims(space.id, shape.data(), nullptr) != 2)
    throw DataError(concat(path, ": '", name, "' is not a matrix"));
  // HDF5 writes rows one after the other: to Armadillo that is the transpose.
  arma::mat columns(shape[1], shape[0]);
  if (H5Dread(set.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, columns.memptr()) < 0)
    throw DataError(concat(path, ": '", name, "' cannot be read as numbers"));
  return columns.t();
}

}  // namespace

bool has_hdf5() {
  return true;
}

Bsds300Parts read_bsds300(const std::filesystem::path& path) {
  const Silence silence;
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (file.id < 0) throw FileError(concat(path.string(), ": cannot be opened as an HDF5 file"));
  return {read_part(file, "train", path.string()), read_part(file, "validation", path.string()),
          read_part(file, "test", path.string())};
}

}  // namespace gaussianize

#else

namespace gaussianize {
using namespace detail;

bool has_hdf5() {
  return false;
}

Bsds300Parts read_bsds300(const std::filesystem::path& path) {
  throw FileError(concat(path.string(),
                         ": this build cannot read HDF5; install its library (Debian: libhdf5-dev) and build again"));
}

}  // namespace gaussianize

#endif
