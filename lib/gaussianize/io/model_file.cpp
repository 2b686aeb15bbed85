#include "gaussianize/io/model_file.hpp"

#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"

namespace gaussianize {
using namespace detail;

void save_model(const Model& model, const std::filesystem::path& path) {
  write_file_atomically(path, encode_model(model));
}

Model load_model(const std::filesystem::path& path) {
  return decode_model(read_file(path), path.string());
}

}  // namespace gaussianize
