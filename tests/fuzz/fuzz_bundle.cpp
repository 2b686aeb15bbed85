// Checkpoints, as fuzz_model.cpp.

#include "gaussianize/io/bundle_bytes.hpp"

#include "fuzz/sealed.hpp"
#include "fuzz/target.hpp"
#include "io/small_bundle.hpp"

using namespace gaussianize;
using namespace gaussianize::testing;

std::vector<Bytes> gaussianize::testing::seeds() {
  return {encode_bundle(small_bundle()), encode_bundle({})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file = sealed(data, size);
  TensorBundle bundle;
  if (!refusal("name", [&] { bundle = decode_bundle(file, "name"); }).empty()) return 0;
  const Bytes saved = encode_bundle(bundle);
  if (encode_bundle(decode_bundle(saved, "name")) != saved) broken("a bundle is saved without loss");
  return 0;
}
