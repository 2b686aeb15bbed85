#include "gaussianize/io/bundle_file.hpp"

#include "gaussianize/io/atomic_file.hpp"
#include "gaussianize/io/bundle_bytes.hpp"
#include "gaussianize/io/json_text.hpp"
#include "gaussianize/io/read_file.hpp"
#include "gaussianize/io/tensor_builder.hpp"
#include "gaussianize/io/tensor_content.hpp"

namespace gaussianize {

std::vector<std::byte> encode_bundle(const TensorBundle& bundle) {
  TensorBuilder builder;
  for (const auto& [name, matrix] : bundle.tensors) builder.add(name, matrix);
  return builder.file(bundle_kind, {{"metadata", json_map(bundle.metadata, "metadata")}});
}

TensorBundle decode_bundle(std::span<const std::byte> file, const std::string& name) {
  TensorContent content(bundle_kind, file, name);
  TensorBundle bundle;
  bundle.metadata = content.map("metadata");
  for (const std::string& tensor : content.names())
    bundle.tensors[tensor] = content.take_matrix(tensor, any_extent, any_extent);
  return bundle;
}

void save_bundle(const TensorBundle& bundle, const std::filesystem::path& path) {
  write_file_atomically(path, encode_bundle(bundle));
}

TensorBundle load_bundle(const std::filesystem::path& path) {
  return decode_bundle(read_file(path), path.string());
}

}  // namespace gaussianize
