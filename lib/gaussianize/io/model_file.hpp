#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gaussianize/flow/flow.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// A flow with its description, as a file holds them.
struct Model {
  Flow flow;
  std::string kind;                            ///< "gaussian", "rbig", "gf", or another name of the caller's
  std::vector<std::string> columns;            ///< names of the data's columns; empty or one per dimension
  std::map<std::string, std::string> options;  ///< how it was fitted
  std::map<std::string, std::string> summary;  ///< how the fit went
  /// Log densities, increasing, of rows that were not fitted (or, if the summary states it, of rows that were). The log
  /// density of a new row is ranked among them. May be empty.
  std::vector<double> calibration;
};

/// Writes a safetensors file: to a temporary file in the same folder, flushed to the disk, then renamed over `path`.
/// `path` is either the whole new file or what it was before. Equal models give equal bytes. Throws
/// FileError, and std::invalid_argument for a model that load_model would refuse or a text in it that is not UTF-8.
void save_model(const Model& model, const std::filesystem::path& path);

/// Reads what save_model wrote, to the last bit, and checks all of it: sizes, version, checksum, shapes, finiteness,
/// orthogonality (|QᵀQ − I| ≤ 1e-10·D), nonzero reflection vectors, increasing tables, bandwidths within e^{±300}, an
/// increasing calibration. Throws FileError that names the file and what is wrong. Safe on untrusted files: never
/// allocates more than a small multiple of the file's size.
Model load_model(const std::filesystem::path& path);

}  // namespace gaussianize
#pragma GCC visibility pop
