#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/io/detail/model_bytes.hpp"
#include "gaussianize/io/detail/safetensors.hpp"
#include "gaussianize/io/detail/tensor_storage.hpp"

#include "io/forgery.hpp"
#include "io/small_model.hpp"
#include "io/temporary_folder.hpp"
#include "support/sanitized.hpp"

using namespace gaussianize;
using namespace gaussianize::detail;
using namespace gaussianize::testing;

namespace {

bool refused(const std::vector<std::byte>& file) {
  return file_error([&] { decode_model(file, "the file"); }) != "nothing was thrown";
}

/// What a message calls the member of a layer that a tensor holds, or the tensor.
std::string place_of(const std::string& tensor) {
  if (!tensor.starts_with("layer.")) return tensor;
  const std::string layer = concat("layer ", std::stoi(tensor.substr(6, 4)), ": ");
  const std::string half = tensor.substr(11, tensor.find('.', 11) - 11);
  std::string member = tensor.substr(12 + half.size());
  if (half == "rotation") return layer + (member == "q" ? "Orthogonal: q" : "");
  if (half != "table") return layer + (half == "mixture" ? "logistic mixture: " : "affine: ") + member;
  if (member.starts_with("segment.")) return "spline: segments[";
  if (member == "blend") return "spline: shrinkage";
  return "spline: " + (member.starts_with("knot.") ? member.substr(5) : member);
}

}  // namespace

TEST_CASE("the untouched file passes the same checks") {
  CHECK(forged([](Forgery&) {}) == "nothing was thrown");
  CHECK(forged([](Forgery& f) { f.set("layer.0000.affine.shift", 0, 2.0); }) == "nothing was thrown");
}

TEST_CASE("every other value of every byte of a file is noticed") {
  const auto file = encode_model(small_model(1));
  auto changed = file;
  std::size_t accepted = 0;
  constexpr unsigned step = sanitized ? 17 : 1;
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (unsigned mask = 1; mask < 256; mask += step) {
      changed[i] = file[i] ^ static_cast<std::byte>(mask);
      if (!refused(changed)) ++accepted;
    }
    changed[i] = file[i];
  }
  MESSAGE(file.size() << " bytes with " << 255 / step << " other values each: refused");
  CHECK(accepted == 0);
}

TEST_CASE("every changed bit of larger files is noticed") {
  for (const Model& model : {small_model(), trained_model(), straight_model()}) {
    const auto file = encode_model(model);
    auto changed = file;
    std::size_t accepted = 0;
    for (std::size_t i = 0; i < file.size(); ++i) {
      for (const unsigned mask : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
        changed[i] = file[i] ^ static_cast<std::byte>(mask);
        if (!refused(changed)) ++accepted;
      }
      changed[i] = file[i];
    }
    CHECK(accepted == 0);
  }
}

TEST_CASE("every truncation, and every extension, is noticed") {
  for (const Model& model : {small_model(), trained_model(), straight_model()}) {
    const auto file = encode_model(model);
    std::size_t accepted = 0;
    for (std::size_t size = 0; size < file.size(); ++size)
      if (!refused({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)})) ++accepted;
    CHECK(accepted == 0);
    auto longer = file;
    longer.push_back(std::byte{0});
    CHECK(refused(longer));
    auto shorter = file;
    shorter.resize(file.size() - 8);
    CHECK(contains(file_error([&] { decode_model(shorter, "the file"); }),
                   concat("the file: truncated: ", file.size() - 8, " bytes where the header promises ", file.size())));
  }
}

TEST_CASE("a changed byte under a right checksum is refused or gives a valid model, and nothing else") {
  for (const Model& model : {small_model(), trained_model(), straight_model()}) {
    const auto file = encode_model(model);
    std::size_t loaded = 0;
    for (std::size_t i = 0; i < file.size(); ++i)
      for (const unsigned mask : {1U, 16U, 128U, 255U}) {
        auto changed = file;
        changed[i] ^= static_cast<std::byte>(mask);
        try {
          add_checksum(changed);
          const Model changed_model = decode_model(changed, "the file");
          check(changed_model);
          ++loaded;
        } catch (const FileError&) {
        } catch (const std::invalid_argument&) {  // no room for the checksum any more
        }
      }
    CHECK(loaded > 100);  // low bits of numbers, letters of names
  }
}

TEST_CASE("format, version and metadata are checked") {
  CHECK(contains(with_metadata("format", "something"), "not a gaussianize model"));
  CHECK(contains(with_metadata("format_version", "3"), "made by a newer version: upgrade gaussianize"));
  CHECK(contains(with_metadata("format_version", "0"), "never existed"));
  CHECK(contains(with_metadata("format_version", "1 "), "not a whole number"));
  CHECK(contains(with_metadata("dimension", "-2"), "not a whole number"));
  CHECK(contains(with_metadata("dimension", ""), "not a whole number"));
  CHECK(contains(with_metadata("dimension", "99999999999999999999"), "not a whole number"));
  CHECK(contains(with_metadata("dimension", "18446744073709551615"), "18446744073709551615 columns"));
  CHECK(contains(with_metadata("dimension", "4294967295"), "4294967295"));
  CHECK(contains(with_metadata("dimension", "3"), "layer.0000.affine.shift' is F64 2; the model needs F64 3"));
  CHECK(contains(with_metadata("layers", "3"), "3 layers and describe 2"));
  CHECK(contains(with_metadata("columns", R"(["a"])"), "names 1 columns and has 2"));
  CHECK(contains(with_metadata("columns", R"(["a",1])"), "not a JSON list"));
  CHECK(contains(with_metadata("options", R"({"a":"b","a":"c"})"), "not a JSON object"));
  CHECK(contains(with_metadata("summary", "[]"), "not a JSON object"));
  CHECK(contains(with_metadata("structure", R"(["identity","orthogonal tables"])"), "not a rotation and a marginal"));
  CHECK(contains(with_metadata("structure", R"(["identity spline","orthogonal tables"])"), "unknown marginal"));
  CHECK(contains(with_metadata("structure", R"(["skew affine","orthogonal tables"])"), "unknown rotation"));
  for (const char* key : {"kind", "dimension", "layers", "structure", "columns", "options", "summary"}) {
    CAPTURE(key);
    CHECK(contains(forged([&](Forgery& f) { f.content.metadata.erase(key); }), "lack"));
  }
}

TEST_CASE("missing, surplus and misshapen tensors are named") {
  CHECK(contains(with_metadata("structure", R"(["orthogonal affine","orthogonal tables"])"),
                 "lacks tensor layer.0000.rotation.q"));
  CHECK(contains(with_metadata("structure", R"(["identity affine","identity tables"])"),
                 "holds tensor 'layer.0001.rotation.q'"));
  CHECK(contains(forged([](Forgery& f) {
                   f.content.tensors["extra"] = {};
                   f.content.tensors["extra"].shape = {0};
                 }),
                 "holds tensor 'extra'"));
  CHECK(contains(forged([](Forgery& f) { f.content.tensors.at("layer.0001.rotation.q").shape = {4}; }),
                 "layer.0001.rotation.q' is F64 4; the model needs F64 2×2"));
  CHECK(contains(forged([](Forgery& f) { f.content.tensors.at("layer.0001.table.blend").type = TensorType::u64; }),
                 "layer.0001.table.blend' is U64 2; the model needs F64 2"));

  for (const Model& model : {small_model(), trained_model(), straight_model()})
    for (const auto& entry : Forgery(model).content.tensors) {
      const std::string& name = entry.first;
      CAPTURE(name);
      CHECK(contains(forged([&](Forgery& f) { f.content.tensors.erase(name); }, model), "lacks tensor " + name));
    }
}

TEST_CASE("numbers that no model can hold are refused by their place in the model") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  // Every floating-point entry of the file in turn.
  for (const Model& model : {small_model(), trained_model(), straight_model()})
    for (const auto& entry : Forgery(model).content.tensors) {
      const std::string& name = entry.first;
      const std::size_t numbers = entry.second.type == TensorType::f64 ? entry.second.bytes.size() / 8 : 0;
      CAPTURE(name);
      for (std::size_t i = 0; i < numbers; ++i) {
        const std::string message = forged([&](Forgery& f) { f.set(name, i, nan); }, model);
        CHECK(contains(message, place_of(name)));
      }
    }
  const Forgery whole;
  CHECK(contains(forged([](Forgery& f) { f.set("layer.0000.affine.scale", 1, -1.0); }), "must be positive"));
  CHECK(contains(forged([](Forgery& f) { f.set("layer.0001.rotation.q", 2, 0.5); }), "is not orthogonal"));
  const auto q = tensor_values<double>(whole.content.tensors.at("layer.0001.rotation.q"));
  CHECK(contains(forged([&](Forgery& f) { f.set("layer.0001.rotation.q", 2, q[2] + 1e-9); }), "is not orthogonal"));
  CHECK(forged([&](Forgery& f) { f.set("layer.0001.rotation.q", 2, q[2] + 1e-13); }) == "nothing was thrown");
  CHECK(contains(forged([](Forgery& f) { f.set("calibration", 0, 3.0); }), "calibration must not fall"));
  const std::string offsets = "layer.0001.table.knot.offsets";
  CHECK(contains(forged([&](Forgery& f) { f.set(offsets, 0, std::uint64_t{1}); }), "must rise from 0"));
  CHECK(contains(forged([&](Forgery& f) { f.set(offsets, 1, std::uint64_t{15}); }), "must rise from 0"));
  CHECK(contains(forged([&](Forgery& f) { f.set(offsets, 1, std::uint64_t{6}); }), "layer 1: column 0: spline: "));
  CHECK(contains(forged([&](Forgery& f) { f.set(offsets, 2, UINT64_MAX / 4); }), "layer.0001.table.knot.position' is"));
  CHECK(contains(forged([&](Forgery& f) { f.set(offsets, 2, UINT64_MAX); }), "must rise from 0"));
}
