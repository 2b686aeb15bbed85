#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gaussianize/flow/checkpoint.hpp"

namespace gaussianize::detail {

// A checkpoint as the bytes of its file: safetensors, format version 1, sealed by a checksum. Metadata are
//
//   checksum        see checksum.hpp
//   format          "gaussianize-bundle"
//   format_version  "1"
//   metadata        JSON object of strings, the checkpoint's own
//
// and tensors are the checkpoint's, each F64 [rows, columns].

/// The bytes of a checkpoint's file; equal checkpoints give equal bytes. Throws std::invalid_argument if a tensor is
/// named
/// "__metadata__" or a text is not UTF-8.
std::vector<std::byte> encode_checkpoint(const Checkpoint& checkpoint);

/// The reverse, to the last bit. Throws FileError, beginning with `name`, for anything but such bytes.
Checkpoint decode_checkpoint(std::span<const std::byte> file, const std::string& name);

}  // namespace gaussianize::detail
