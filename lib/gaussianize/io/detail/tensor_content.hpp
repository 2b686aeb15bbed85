#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/file_kind.hpp"
#include "gaussianize/io/detail/tensor_values.hpp"

namespace gaussianize::detail {

/// An extent that the file decides.
inline constexpr std::uint64_t any_extent = UINT64_MAX;

/// A sealed file's content, of which each tensor is taken once, so that what remains is what does not belong. All
/// functions throw FileError, beginning with the file's name, where the file is not as they need it.
class TensorContent {
 public:
  /// Reads the bytes of a file, which must outlive the object: container, format, version and seal.
  TensorContent(const FileKind& kind, std::span<const std::byte> file, const std::string& name);

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw FileError(concat(name_, ": ", parts...));
  }

  /// For what only a faulty writer leaves behind.
  template <class... Parts>
  [[noreturn]] void fail_unsound(const Parts&... parts) const {
    fail(parts..., "; save the ", kind_.noun, " again");
  }

  /// Metadata as text, as a whole number, and as JSON of strings.
  const std::string& text(const std::string& key) const;
  std::uint64_t count(const std::string& key) const;
  std::vector<std::string> list(const std::string& key) const;
  std::map<std::string, std::string> map(const std::string& key) const;

  /// The names of the tensors that were not yet taken.
  std::vector<std::string> names() const;

  template <class T>
  std::vector<T> take(const std::string& tensor, const std::vector<std::uint64_t>& shape) {
    return tensor_values<T>(take_view(tensor, tensor_type_of<T>(), shape));
  }

  template <class T>
  T take_scalar(const std::string& tensor) {
    return take<T>(tensor, {}).front();
  }

  /// From [rows, columns] and [slices, rows, columns]. Even an empty cube costs memory for each of its slices, so their
  /// number must be given.
  arma::mat take_matrix(const std::string& tensor, std::uint64_t rows, std::uint64_t columns);
  arma::cube take_cube(const std::string& tensor, std::uint64_t slices, std::uint64_t rows, std::uint64_t columns);

  void check_all_taken() const;

 private:
  TensorView take_view(const std::string& tensor, TensorType type, const std::vector<std::uint64_t>& shape);
  void check_format() const;

  FileKind kind_;
  std::string name_;
  TensorFile content_;
};

}  // namespace gaussianize::detail
