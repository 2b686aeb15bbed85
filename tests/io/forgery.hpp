#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gaussianize/io/detail/model_bytes.hpp"
#include "gaussianize/io/detail/safetensors.hpp"
#include "gaussianize/io/detail/tensor_storage.hpp"

#include "io/small_model.hpp"
#include "io/temporary_folder.hpp"

namespace gaussianize::testing {
using namespace detail;

/// A model's file that was changed and given a right checksum again, so that only the later checks can refuse it.
struct Forgery {
  std::deque<std::vector<std::byte>> storage;
  TensorFile content;

  explicit Forgery(const Model& model = small_model())
      : storage{encode_model(model)}, content(decode_safetensors(storage.front(), "x")) {}

  template <class T>
  void set(const std::string& name, std::size_t index, T value) {
    TensorView& tensor = content.tensors.at(name);
    REQUIRE(tensor.type == tensor_type_of<T>());
    auto& copy = storage.emplace_back(tensor.bytes.begin(), tensor.bytes.end());
    std::memcpy(copy.data() + index * sizeof(T), &value, sizeof(T));
    tensor.bytes = copy;
  }

  std::string refusal() const {
    auto file = encode_safetensors(content);
    add_checksum(file);
    return file_error([&] { decode_model(file, "the file"); });
  }
};

inline std::string forged(const std::function<void(Forgery&)>& change, const Model& model = small_model()) {
  Forgery forgery(model);
  change(forgery);
  return forgery.refusal();
}

inline std::string with_metadata(const std::string& key, const std::string& text, const Model& model = small_model()) {
  return forged([&](Forgery& f) { f.content.metadata[key] = text; }, model);
}

}  // namespace gaussianize::testing
