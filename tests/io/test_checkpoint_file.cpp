#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/error.hpp"
#include "gaussianize/io/checkpoint_file.hpp"
#include "gaussianize/io/detail/files.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"
#include "gaussianize/io/detail/safetensors.hpp"
#include "gaussianize/io/detail/tensor_storage.hpp"

#include "io/small_checkpoint.hpp"
#include "io/small_model.hpp"
#include "io/temporary_folder.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

bool same_bits(const Checkpoint& a, const Checkpoint& b) {
  bool same = a.metadata == b.metadata && a.tensors.size() == b.tensors.size();
  for (const auto& [name, matrix] : a.tensors)
    same = same && b.tensors.contains(name) && gaussianize::testing::same_bits(matrix, b.tensors.at(name));
  return same;
}

std::string refusal(const std::vector<std::byte>& file) {
  return file_error([&] { decode_checkpoint(file, "the file"); });
}

/// The message that refuses a file that was changed and given a right checksum again.
template <class Change>
std::string forged_checkpoint(Change change) {
  const auto original = encode_checkpoint(small_checkpoint());
  TensorFile content = decode_safetensors(original, "x");
  change(content);
  auto file = encode_safetensors(content);
  add_checksum(file);
  return refusal(file);
}

}  // namespace

TEST_CASE("a checkpoint comes back from its file to the last bit, and saves to the same bytes again") {
  const TemporaryFolder folder;
  for (const Checkpoint& checkpoint : {small_checkpoint(), Checkpoint{}}) {
    save_checkpoint(checkpoint, folder.path / "one");
    const Checkpoint loaded = load_checkpoint(folder.path / "one");
    CHECK(same_bits(checkpoint, loaded));
    save_checkpoint(loaded, folder.path / "two");
    CHECK(read_file(folder.path / "one") == read_file(folder.path / "two"));
    CHECK(folder.entries() == 2);
  }
}

TEST_CASE("the comparison of checkpoints finds one changed bit") {
  Checkpoint changed = small_checkpoint();
  changed.tensors["layer 3 mu"](0, 1) = 0.0;
  CHECK(!same_bits(changed, small_checkpoint()));
  changed = small_checkpoint();
  changed.tensors["no rows"].set_size(0, 4);
  CHECK(!same_bits(changed, small_checkpoint()));
}

TEST_CASE("every changed byte of a checkpoint is noticed") {
  const auto file = encode_checkpoint(small_checkpoint());
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < file.size(); ++i)
    for (const unsigned mask : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      auto changed = file;
      changed[i] ^= static_cast<std::byte>(mask);
      if (refusal(changed) == "nothing was thrown") ++accepted;
    }
  CHECK(accepted == 0);
}

TEST_CASE("every truncation, and an extension, of a checkpoint is noticed") {
  auto file = encode_checkpoint(small_checkpoint());
  std::size_t accepted = 0;
  for (std::size_t size = 0; size < file.size(); ++size)
    if (refusal({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}) == "nothing was thrown") ++accepted;
  CHECK(accepted == 0);
  CHECK(refusal(file) == "nothing was thrown");
  file.push_back(std::byte{0});
  CHECK(contains(refusal(file), "the file: has 1 bytes after its last tensor"));
}

TEST_CASE("a file of the other kind is told what it is and what reads it") {
  const TemporaryFolder folder;
  save_model(small_model(), folder.path / "model");
  save_checkpoint(small_checkpoint(), folder.path / "checkpoint");
  CHECK(file_error([&] { load_checkpoint(folder.path / "model"); }) ==
        (folder.path / "model").string() + ": is a gaussianize model, which load_model reads; give a checkpoint here");
  CHECK(file_error([&] { load_model(folder.path / "checkpoint"); }) ==
        (folder.path / "checkpoint").string() +
            ": is a gaussianize checkpoint, which load_checkpoint reads; give a model here");
}

TEST_CASE("what is not a checkpoint is refused under a right checksum too") {
  CHECK(forged_checkpoint([](TensorFile&) {}) == "nothing was thrown");
  CHECK(contains(forged_checkpoint([](TensorFile& f) { f.metadata["format"] = "else"; }),
                 "not a gaussianize checkpoint"));
  CHECK(contains(forged_checkpoint([](TensorFile& f) { f.metadata.erase("format"); }), "not a gaussianize checkpoint"));
  CHECK(contains(forged_checkpoint([](TensorFile& f) { f.metadata["format_version"] = "2"; }), "upgrade gaussianize"));
  CHECK(contains(forged_checkpoint([](TensorFile& f) { f.metadata["format_version"] = "0"; }), "never existed"));
  CHECK(contains(forged_checkpoint([](TensorFile& f) { f.metadata.erase("metadata"); }), "save the checkpoint again"));
  CHECK(contains(forged_checkpoint([](TensorFile& f) { f.metadata["metadata"] = "{\"a\":1}"; }), "not a JSON object"));
  CHECK(contains(forged_checkpoint([](TensorFile& f) { f.tensors.at("nan").shape = {4}; }),
                 "tensor 'nan' is F64 4; the checkpoint needs F64 any×any"));
  CHECK(contains(forged_checkpoint([](TensorFile& f) { f.tensors.at("nan").shape = {2, 2, 1}; }), "is F64 2×2×1"));
  CHECK(contains(forged_checkpoint([](TensorFile& f) { f.tensors.at("nan").type = TensorType::i64; }), "is I64 2×2"));
}

TEST_CASE("an enormous shape without numbers costs nothing") {
  for (const std::vector<std::uint64_t>& shape :
       {std::vector<std::uint64_t>{std::uint64_t{1} << 60, 0}, std::vector<std::uint64_t>{0, UINT64_MAX / 8 - 1}})
    CHECK(forged_checkpoint([&](TensorFile& f) { f.tensors.at("no rows").shape = shape; }) == "nothing was thrown");
}

TEST_CASE("a checkpoint that could not be read again is not written") {
  const TemporaryFolder folder;
  const auto refused = [&](auto change) {
    Checkpoint checkpoint = small_checkpoint();
    change(checkpoint);
    CHECK_THROWS_AS(save_checkpoint(checkpoint, folder.path / "b"), std::invalid_argument);
  };
  refused([](Checkpoint& b) { b.tensors["__metadata__"] = arma::mat(1, 1); });
  refused([](Checkpoint& b) { b.tensors["\xFF"] = arma::mat(1, 1); });
  refused([](Checkpoint& b) { b.metadata["a"] = "\xFF"; });
  CHECK(folder.entries() == 0);
  save_checkpoint(small_checkpoint(), folder.path / "b");
  CHECK(contains(file_error([&] { save_checkpoint({}, folder.path / "b" / "below"); }), "Not a directory"));
  CHECK(same_bits(load_checkpoint(folder.path / "b"), small_checkpoint()));
}
