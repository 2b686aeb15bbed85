#include "gaussianize/io/checkpoint_file.hpp"

#include "gaussianize/io/detail/atomic_file.hpp"
#include "gaussianize/io/detail/checkpoint_bytes.hpp"
#include "gaussianize/io/detail/json_text.hpp"
#include "gaussianize/io/detail/read_file.hpp"
#include "gaussianize/io/detail/tensor_builder.hpp"
#include "gaussianize/io/detail/tensor_content.hpp"

namespace gaussianize {
using namespace detail;

std::vector<std::byte> detail::encode_checkpoint(const Checkpoint& checkpoint) {
  TensorBuilder builder;
  for (const auto& [name, matrix] : checkpoint.tensors) builder.add(name, matrix);
  return builder.file(checkpoint_kind, {{"metadata", json_map(checkpoint.metadata, "metadata")}});
}

Checkpoint detail::decode_checkpoint(std::span<const std::byte> file, const std::string& name) {
  TensorContent content(checkpoint_kind, file, name);
  Checkpoint checkpoint;
  checkpoint.metadata = content.map("metadata");
  for (const std::string& tensor : content.names())
    checkpoint.tensors[tensor] = content.take_matrix(tensor, any_extent, any_extent);
  return checkpoint;
}

void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path) {
  write_file_atomically(path, encode_checkpoint(checkpoint));
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  return decode_checkpoint(read_file(path), path.string());
}

}  // namespace gaussianize
