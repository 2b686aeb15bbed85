#include "gaussianize/io/model_file.hpp"

#include "gaussianize/io/atomic_file.hpp"
#include "gaussianize/io/model_bytes.hpp"
#include "gaussianize/io/read_file.hpp"

namespace gaussianize {

void save_model(const Model& model, const std::filesystem::path& path) {
  write_file_atomically(path, encode_model(model));
}

Model load_model(const std::filesystem::path& path) {
  return decode_model(read_file(path), path.string());
}

}  // namespace gaussianize
