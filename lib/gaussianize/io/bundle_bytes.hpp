#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gaussianize/flow/tensor_bundle.hpp"

namespace gaussianize {

// A bundle as the bytes of its file: safetensors, format version 1, sealed by a checksum. Metadata are
//
//   checksum        see checksum.hpp
//   format          "gaussianize-bundle"
//   format_version  "1"
//   metadata        JSON object of strings, the bundle's own
//
// and tensors are the bundle's, each F64 [rows, columns].

/// The bytes of a bundle's file; equal bundles give equal bytes. Throws std::invalid_argument if a tensor is named
/// "__metadata__" or a text is not UTF-8.
std::vector<std::byte> encode_bundle(const TensorBundle& bundle);

/// The reverse, to the last bit. Throws FileError, beginning with `name`, for anything but such bytes.
TensorBundle decode_bundle(std::span<const std::byte> file, const std::string& name);

}  // namespace gaussianize
