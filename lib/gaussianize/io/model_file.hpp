#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gaussianize/flow/flow.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// A flow as a file, with what people want to know about it.
struct Model {
  Flow flow;
  std::string kind;                            ///< "gaussian", "rbig", "gf", or the caller's own word
  std::vector<std::string> columns;            ///< names of the data's columns; empty or one per dimension
  std::map<std::string, std::string> options;  ///< how it was fitted
  std::map<std::string, std::string> summary;  ///< how the fit went
  /// Log densities, increasing, of rows that were not fitted (or, as the summary then says, of rows that were): what
  /// the log density of a new row is ranked among. May be empty.
  std::vector<double> calibration;
};

/// Writes a safetensors file: to a temporary file in the same folder, flushed to the disk, then renamed over `path`.
/// Either the whole new file stands there or whatever stood there before. Equal models give equal bytes. Throws
/// FileError, and std::invalid_argument for a model that load_model would refuse or a text in it that is not UTF-8.
void save_model(const Model& model, const std::filesystem::path& path);

/// Reads what save_model wrote, to the last bit, and checks all of it: sizes, version, checksum, shapes, finiteness,
/// orthogonality (|QᵀQ − I| ≤ 1e-10·D), reflections that reflect, increasing tables, bandwidths within e^{±300}, an
/// increasing calibration. Throws FileError that names the file and what is wrong. Safe on files from strangers: never
/// allocates more than a small multiple of the file's size.
Model load_model(const std::filesystem::path& path);

}  // namespace gaussianize
#pragma GCC visibility pop
