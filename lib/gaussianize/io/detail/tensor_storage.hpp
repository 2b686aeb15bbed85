#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <armadillo>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/safetensors.hpp"

namespace gaussianize::detail {

// The files of gaussianize are safetensors files whose metadata hold a format, its version and a checksum.

/// CRC-64/XZ: polynomial x⁶⁴ + … with reflected form 0xC96C5795D7870F42, all ones before and after; of "123456789" it
/// is 0x995DC9BBDF1939FA. Every change confined to 64 consecutive bits is detected, so every changed byte is; any other
/// change escapes with probability 2⁻⁶⁴. It protects against accidents, not against forgery. `before` is the value of
/// the bytes that precede, so that crc64(b, crc64(a)) is that of a followed by b.
std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t before = 0);

/// A file has a checksum if its header begins with {"__metadata__":{"checksum":" and sixteen lower-case hexadecimal
/// digits: crc64 of the whole file with sixteen characters 0 in their place.
inline constexpr const char* empty_checksum = "0000000000000000";

/// Sets the digits. Throws std::invalid_argument unless the first metadata entry is "checksum" with `empty_checksum`.
void add_checksum(std::vector<std::byte>& file);

/// Throws FileError, beginning with `name`, if the file has no checksum or has changed since.
void check_checksum(std::span<const std::byte> file, const std::string& name);

/// A kind of file, identified by its metadata "format" and "format_version".
struct FileKind {
  const char* format;
  unsigned version;    ///< the newest, which is written; every version from 1 on is read
  const char* noun;    ///< the name of such a file in messages
  const char* reader;  ///< the function that reads such a file
};

inline constexpr FileKind model_kind{"gaussianize-model", 2, "model", "load_model"};
inline constexpr FileKind checkpoint_kind{"gaussianize-bundle", 1, "checkpoint", "load_checkpoint"};

/// All of them, so that the message for a file in the wrong place can name its kind.
inline constexpr std::array file_kinds{model_kind, checkpoint_kind};

/// Collects the tensors of a file and keeps their values. Matrices and cubes, which Armadillo stores column by column,
/// are written in C order. No bit of a number changes, NaNs included.
class TensorWriter {
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

  /// As [rows, columns] and [slices, rows, columns].
  void add(const std::string& name, const arma::mat& matrix);
  void add(const std::string& name, const arma::cube& cube);

  template <class T>
  void add_scalar(const std::string& name, T value) {
    add(name, std::vector<T>{value}, {});
  }

  /// The bytes of the file, with "checksum", "format" and "format_version" beside `metadata`. Throws as
  /// encode_safetensors does.
  std::vector<std::byte> file(const FileKind& kind, std::map<std::string, std::string> metadata) const;

 private:
  std::map<std::string, TensorView> tensors_;
  std::vector<std::shared_ptr<const void>> storage_;
};

/// An extent that the file decides.
inline constexpr std::uint64_t any_extent = UINT64_MAX;

/// The content of a file. Each tensor is taken once, so that those left over are unknown ones. All functions throw
/// FileError, beginning with the file's name, where the file is not as they need it.
class TensorReader {
 public:
  /// Reads the bytes of a file, which must outlive the object: container, format, version and checksum.
  TensorReader(const FileKind& kind, std::span<const std::byte> file, const std::string& name);

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
