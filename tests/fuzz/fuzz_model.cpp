// Model files: what is not refused is a model that is saved and loaded again without loss. The checksum is set right
// first, since no mutation would get past it.

#include "gaussianize/io/model_bytes.hpp"

#include "fuzz/sealed.hpp"
#include "fuzz/target.hpp"
#include "io/small_model.hpp"

using namespace gaussianize;
using namespace gaussianize::testing;

std::vector<Bytes> gaussianize::testing::seeds() {
  return {encode_model(small_model(1)), encode_model(small_model(2)), encode_model(trained_model())};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file = sealed(data, size);
  Model model;
  if (!refusal("name", [&] { model = decode_model(file, "name"); }).empty()) return 0;
  const Bytes saved = encode_model(model);
  if (encode_model(decode_model(saved, "name")) != saved) broken("a model is saved without loss");
  return 0;
}
