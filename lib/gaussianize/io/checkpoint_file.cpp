#include "gaussianize/io/checkpoint_file.hpp"

#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"

namespace gaussianize {
using namespace detail;

void save_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& path) {
  write_file_atomically(path, encode_checkpoint(checkpoint));
}

Checkpoint load_checkpoint(const std::filesystem::path& path) {
  return decode_checkpoint(read_file(path), path.string());
}

}  // namespace gaussianize
