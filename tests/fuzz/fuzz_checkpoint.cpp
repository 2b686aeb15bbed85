// Checkpoints, as fuzz_model.cpp.

#include "gaussianize/io/detail/model_bytes.hpp"

#include "fuzz/target.hpp"
#include "fuzz/with_checksum.hpp"
#include "io/small_checkpoint.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

std::vector<Bytes> gaussianize::testing::seeds() {
  return {encode_checkpoint(small_checkpoint()), encode_checkpoint({})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file = with_checksum(data, size);
  Checkpoint checkpoint;
  if (!refusal("name", [&] { checkpoint = decode_checkpoint(file, "name"); }).empty()) return 0;
  const Bytes saved = encode_checkpoint(checkpoint);
  if (encode_checkpoint(decode_checkpoint(saved, "name")) != saved) broken("a checkpoint is saved without loss");
  return 0;
}
