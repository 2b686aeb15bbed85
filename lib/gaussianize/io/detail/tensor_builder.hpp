#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gaussianize/io/detail/file_kind.hpp"
#include "gaussianize/io/detail/matrix_values.hpp"
#include "gaussianize/io/detail/tensor_values.hpp"

namespace gaussianize::detail {

/// Gathers what goes into a file, and keeps the values that its tensors view.
class TensorBuilder {
 public:
  template <class T>
  void add(const std::string& name, std::vector<T> values, std::vector<std::uint64_t> shape) {
    const auto kept = std::make_shared<std::vector<T>>(std::move(values));
    tensors_[name] = tensor_view(*kept, std::move(shape));
    storage_.push_back(kept);
  }

  template <class T>
  void add(const std::string& name, std::vector<T> values) {
    const std::uint64_t size = values.size();
    add(name, std::move(values), {size});
  }

  /// [rows, columns] and [slices, rows, columns].
  void add(const std::string& name, const arma::mat& matrix) {
    add(name, row_major(matrix), {matrix.n_rows, matrix.n_cols});
  }
  void add(const std::string& name, const arma::cube& cube) {
    add(name, row_major(cube), {cube.n_slices, cube.n_rows, cube.n_cols});
  }

  template <class T>
  void add_scalar(const std::string& name, T value) {
    add(name, std::vector<T>{value}, {});
  }

  /// The bytes of the file, sealed, with "checksum", "format" and "format_version" beside `metadata`. Throws as
  /// encode_safetensors does.
  std::vector<std::byte> file(const FileKind& kind, std::map<std::string, std::string> metadata) const;

 private:
  std::map<std::string, TensorView> tensors_;
  std::vector<std::shared_ptr<const void>> storage_;
};

}  // namespace gaussianize::detail
