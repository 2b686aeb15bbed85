#include "gaussianize/io/detail/tensor_builder.hpp"

#include "gaussianize/io/detail/checksum.hpp"

namespace gaussianize::detail {

std::vector<std::byte> TensorBuilder::file(const FileKind& kind, std::map<std::string, std::string> metadata) const {
  metadata["checksum"] = unsealed;
  metadata["format"] = kind.format;
  metadata["format_version"] = std::to_string(kind.version);
  std::vector<std::byte> bytes = encode_safetensors({std::move(metadata), tensors_});
  add_checksum(bytes);
  return bytes;
}

}  // namespace gaussianize::detail
